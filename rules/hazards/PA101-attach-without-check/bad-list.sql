-- region may be NULL
SET lock_timeout = '2s';
ALTER TABLE stock_us ADD CONSTRAINT stock_us_region CHECK (region = 'us') NOT VALID;
ALTER TABLE stock_us VALIDATE CONSTRAINT stock_us_region;
ALTER TABLE stock ATTACH PARTITION stock_us FOR VALUES IN ('us');
