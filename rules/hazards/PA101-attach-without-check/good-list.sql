SET lock_timeout = '2s';
ALTER TABLE stock_us ADD CONSTRAINT stock_us_region CHECK (region IS NOT NULL AND region IN ('us')) NOT VALID;
ALTER TABLE stock_us VALIDATE CONSTRAINT stock_us_region;
ALTER TABLE stock ATTACH PARTITION stock_us FOR VALUES IN ('us');
ALTER TABLE stock_us DROP CONSTRAINT stock_us_region;
