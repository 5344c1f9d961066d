SET lock_timeout = '2s';
ALTER TABLE orders ADD CONSTRAINT orders_total_nn NOT NULL total NOT VALID;
RESET lock_timeout;
ALTER TABLE orders VALIDATE CONSTRAINT orders_total_nn;
