"""Frozen values that travel between the stages: snapshot, workload, diagnosis, advice, plan."""
