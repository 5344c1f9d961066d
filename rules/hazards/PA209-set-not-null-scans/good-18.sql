SET lock_timeout = '2s';
ALTER TABLE orders ADD CONSTRAINT orders_total_not_null NOT NULL total NOT VALID;
ALTER TABLE orders VALIDATE CONSTRAINT orders_total_not_null;
