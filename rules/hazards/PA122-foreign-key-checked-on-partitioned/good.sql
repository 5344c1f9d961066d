-- 18 takes NOT VALID; before it, each partition gets and validates the key first
SET lock_timeout = '2s';
ALTER TABLE orders_2024 ADD CONSTRAINT orders_seller FOREIGN KEY (customer_id) REFERENCES seller NOT VALID;
ALTER TABLE orders_2025 ADD CONSTRAINT orders_seller FOREIGN KEY (customer_id) REFERENCES seller NOT VALID;
ALTER TABLE orders_2026 ADD CONSTRAINT orders_seller FOREIGN KEY (customer_id) REFERENCES seller NOT VALID;
ALTER TABLE orders_2024 VALIDATE CONSTRAINT orders_seller;
ALTER TABLE orders_2025 VALIDATE CONSTRAINT orders_seller;
ALTER TABLE orders_2026 VALIDATE CONSTRAINT orders_seller;
ALTER TABLE orders ADD CONSTRAINT orders_seller FOREIGN KEY (customer_id) REFERENCES seller;
