CREATE TABLE booking_2024 (LIKE booking INCLUDING INDEXES,
  CONSTRAINT booking_2024_day CHECK (day >= '2024-01-01' AND day < '2025-01-01'));
INSERT INTO booking_2024 SELECT i, date '2024-01-01' + i, i FROM generate_series(0, 299) i;
ALTER TABLE booking_2024 ADD CONSTRAINT booking_2024_customer FOREIGN KEY (customer_id) REFERENCES customer;
