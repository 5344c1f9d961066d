BEGIN;
SET LOCAL lock_timeout = '2s';
SAVEPOINT before;
ALTER TABLE coupons ADD COLUMN max_uses int;
ROLLBACK TO before;
ALTER TABLE coupons ADD COLUMN max_uses bigint;
RELEASE before;
COMMIT;
