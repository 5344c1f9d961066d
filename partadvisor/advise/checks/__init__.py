"""The checks behind the feasibility rules, by topic; each yields the facts for one rule's text."""
