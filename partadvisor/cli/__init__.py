"""The command line: one command a module, streams and exit codes in one place."""
