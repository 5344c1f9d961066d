"""Tests of the edges, on real servers."""
