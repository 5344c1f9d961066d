-- a short lock_timeout gives up, and lets the others go on, when customer is busy for longer; then try again
SET lock_timeout = '100ms';
ALTER TABLE booking ATTACH PARTITION booking_2024 FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
