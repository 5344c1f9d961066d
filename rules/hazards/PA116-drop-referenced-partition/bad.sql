-- the foreign key of payment depends on every partition of booking
SET lock_timeout = '2s';
DROP TABLE booking_2025;
