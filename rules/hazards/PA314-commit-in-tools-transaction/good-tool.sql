-- path: db/migration/V7__channel.sql
BEGIN;
SET LOCAL lock_timeout = '2s';
ALTER TABLE orders ADD COLUMN channel text;
INSERT INTO customers VALUES (8000, 'new@example.org', 'eu');
