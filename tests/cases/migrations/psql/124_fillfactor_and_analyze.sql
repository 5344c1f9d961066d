SET lock_timeout = '1500ms';
ALTER TABLE orders SET (fillfactor = 85);
ALTER TABLE orders SET (autovacuum_vacuum_insert_scale_factor = 0.02);
RESET lock_timeout;
ANALYZE (VERBOSE) orders;
