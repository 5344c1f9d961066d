SET lock_timeout = '2s';
ALTER TABLE payments SET (autovacuum_vacuum_scale_factor = 0.01, fillfactor = 90);
ALTER TABLE orders ALTER COLUMN status SET STATISTICS 500;
ALTER TABLE orders ALTER COLUMN status SET DEFAULT 'draft';
ALTER INDEX orders_customer_id_idx SET (fillfactor = 80);
