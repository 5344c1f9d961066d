"""Makes a snapshot of a server: read-only, one connection, and nothing above an ACCESS SHARE lock."""
