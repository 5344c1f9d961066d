-- customer is locked against everybody: while ATTACH waits for its readers, all new ones wait behind it
SET lock_timeout = '5min';
ALTER TABLE booking ATTACH PARTITION booking_2024 FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
