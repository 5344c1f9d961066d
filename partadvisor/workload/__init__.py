"""Statements with weights: reading workload files and grouping statements into families."""
