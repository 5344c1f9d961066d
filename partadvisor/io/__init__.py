"""The edges: servers, collection, migration runner, files."""
