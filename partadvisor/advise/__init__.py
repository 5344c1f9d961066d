"""The decisions: diagnosis, candidates, write spread, read cost, throughput, recommendation."""
