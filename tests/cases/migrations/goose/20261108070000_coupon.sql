-- +goose Up
SELECT pg_advisory_lock(4711);
INSERT INTO coupons VALUES ('BLACKFRIDAY', 20, '2026-12-01') ON CONFLICT (code) DO NOTHING;

-- +goose Down
DELETE FROM coupons WHERE code = 'BLACKFRIDAY';
