-- +goose Up
SET LOCAL lock_timeout = '2s';
ALTER TABLE coupons ADD COLUMN used int NOT NULL DEFAULT 0;
VACUUM coupons;

-- +goose Down
ALTER TABLE coupons DROP COLUMN used;
