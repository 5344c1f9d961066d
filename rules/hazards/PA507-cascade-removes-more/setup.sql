ALTER TABLE payments ADD CONSTRAINT payments_order_fkey FOREIGN KEY (order_id) REFERENCES orders;
