SET lock_timeout = '2s';
ALTER TABLE orders ADD COLUMN imported_by text;
ALTER TABLE payments ADD COLUMN imported_by text;
