"""A PostgreSQL partitioning advisor: finds the insert queue, picks the key, migrates online."""

__version__ = "0.1.0"
