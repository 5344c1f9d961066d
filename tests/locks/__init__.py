"""Measures the locks of statement forms on real servers, and writes ``rules/locks/`` from it."""
