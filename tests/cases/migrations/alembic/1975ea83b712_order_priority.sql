BEGIN;

-- Running upgrade 8f0c31d2a4e5 -> 1975ea83b712

ALTER TABLE orders ADD COLUMN priority INTEGER;

UPDATE orders SET priority=0 WHERE priority IS NULL;

ALTER TABLE orders ALTER COLUMN priority SET NOT NULL;

CREATE INDEX ix_orders_priority ON orders (priority);

UPDATE alembic_version SET version_num='1975ea83b712' WHERE alembic_version.version_num = '8f0c31d2a4e5';

COMMIT;
