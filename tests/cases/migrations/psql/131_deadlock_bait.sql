BEGIN;
SET LOCAL lock_timeout = '2s';
DELETE FROM coupons WHERE ends_at < now();
ALTER TABLE coupons ADD COLUMN campaign text;
COMMIT;
