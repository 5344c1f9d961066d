SET lock_timeout = '0';
CREATE INDEX CONCURRENTLY payments_order_id_idx ON payments (order_id);
SET lock_timeout = '2s';
ALTER TABLE payments ADD CONSTRAINT payments_order_id_fkey
    FOREIGN KEY (order_id) REFERENCES orders (id) NOT VALID;
RESET lock_timeout;
ALTER TABLE payments VALIDATE CONSTRAINT payments_order_id_fkey;
