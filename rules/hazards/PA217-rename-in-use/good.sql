BEGIN;
SET LOCAL lock_timeout = '2s';
ALTER TABLE customers RENAME TO clients;
CREATE VIEW customers AS SELECT id, email, region FROM clients;
COMMIT;
