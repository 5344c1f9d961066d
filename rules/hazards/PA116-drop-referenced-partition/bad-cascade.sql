-- CASCADE drops the whole foreign key of payment, for all partitions
SET lock_timeout = '2s';
DROP TABLE booking_2025 CASCADE;
