-- old orders stay one partition, new ones go to the next
SET lock_timeout = '2s';
CREATE TABLE orders_all (LIKE orders INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING INDEXES INCLUDING IDENTITY)
    PARTITION BY RANGE (id);
CREATE TABLE orders_next PARTITION OF orders_all FOR VALUES FROM (1000000) TO (MAXVALUE);
ALTER TABLE orders ADD CONSTRAINT orders_past CHECK (id < 1000000) NOT VALID;
ALTER TABLE orders VALIDATE CONSTRAINT orders_past;
SELECT setval(pg_get_serial_sequence('orders_all', 'id'), 1000000);
BEGIN;
ALTER TABLE orders ALTER COLUMN id DROP IDENTITY;
ALTER TABLE orders RENAME TO orders_past;
ALTER TABLE orders_all RENAME TO orders;
ALTER TABLE orders ATTACH PARTITION orders_past FOR VALUES FROM (MINVALUE) TO (1000000);
COMMIT;
