-- one transaction for each: only one partition is locked at a time
SET lock_timeout = '2s';
CLUSTER orders_2024 USING orders_2024_pkey;
CLUSTER orders_2025 USING orders_2025_pkey;
