-- path: db/migration/V8__coupons.sql
SELECT pg_advisory_lock(4711);
INSERT INTO customers VALUES (8000, 'new@example.org', 'eu');
