"""``prove``: baseline and candidates side by side on a real server, under the workload's own statements."""
