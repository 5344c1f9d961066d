ALTER TABLE orders
    ADD CONSTRAINT orders_status_known CHECK (status IN ('new', 'paid', 'sent', 'done')),
    ALTER COLUMN total SET NOT NULL;
