"""From a chosen scheme to a migration plan: numbered steps with locks, timeouts and undo."""
