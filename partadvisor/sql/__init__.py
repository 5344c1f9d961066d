"""The only door to SQL text: splitting, parsing, and reading access patterns out of a statement."""
