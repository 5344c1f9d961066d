-- the same foreign key, checked before ATTACH and without blocking readers or writers, is taken over as it is
SET lock_timeout = '2s';
ALTER TABLE booking_2024 ADD CONSTRAINT booking_2024_customer
  FOREIGN KEY (customer_id) REFERENCES customer NOT VALID;
ALTER TABLE booking_2024 VALIDATE CONSTRAINT booking_2024_customer;
ALTER TABLE booking ATTACH PARTITION booking_2024 FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
