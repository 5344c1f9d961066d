-- DETACH first checks that no row of payment points into booking_2025
SET lock_timeout = 0;
ALTER TABLE booking DETACH PARTITION booking_2025 CONCURRENTLY;
SET lock_timeout = '2s';
DROP TABLE booking_2025;
