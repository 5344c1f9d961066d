-- each row's customer is looked up inside ATTACH: booking_2024 locked against everybody, customer and payment against writers
SET lock_timeout = '2s';
ALTER TABLE booking ATTACH PARTITION booking_2024 FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
