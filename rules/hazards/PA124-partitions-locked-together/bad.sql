-- while the second partition is rewritten the first one stays locked against everybody, until COMMIT
BEGIN;
SET LOCAL lock_timeout = '2s';
CLUSTER orders_2024 USING orders_2024_pkey;
CLUSTER orders_2025 USING orders_2025_pkey;
COMMIT;
