"""The shadow planner: a snapshot's schema and statistics in an empty server, asked with EXPLAIN.

No row of the user's data is needed or made. Everything of the snapshot runs there as a role without privileges, as
a snapshot may come from anybody.
"""
