SET lock_timeout = '2s';
ALTER TABLE orders ADD COLUMN discount numeric CHECK (discount < 100);
