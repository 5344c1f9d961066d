"""The demonstration's own database: an order-entry schema, its load, and a ledger that shows whether a row was lost."""
