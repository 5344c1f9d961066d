SET lock_timeout = '2s';
ALTER TABLE orders ADD CONSTRAINT orders_total_check CHECK (total IS NOT NULL) NOT VALID;
ALTER TABLE orders VALIDATE CONSTRAINT orders_total_check;
ALTER TABLE orders ALTER COLUMN total SET NOT NULL;
ALTER TABLE orders DROP CONSTRAINT orders_total_check;
