SELECT pg_advisory_lock(4711);
INSERT INTO coupons VALUES ('BLACKFRIDAY', 20, '2026-12-01') ON CONFLICT (code) DO NOTHING;
SELECT pg_advisory_unlock(4711);
