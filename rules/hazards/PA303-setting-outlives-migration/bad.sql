-- path: db/migration/V7__channel.sql
SET lock_timeout = '2s';
ALTER TABLE orders ADD COLUMN channel text;
