"""Reviewing SQL scripts: a session is simulated statement by statement, and rules look at each state."""
