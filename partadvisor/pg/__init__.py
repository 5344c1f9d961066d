"""What PostgreSQL does, without a server: quoting, hash routing, bounds, versions, knowledge from rules/."""
