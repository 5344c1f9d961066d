"""A workload that can be run again: values like the real ones, statements with their weights."""
