-- by range, between foreign keys: booking references customer and is referenced by payment
CREATE TABLE customer (id int PRIMARY KEY, name text);
INSERT INTO customer SELECT i, 'c' || i FROM generate_series(0, 299) i;
CREATE TABLE booking (id bigint NOT NULL, day date NOT NULL, customer_id int NOT NULL, PRIMARY KEY (id, day))
  PARTITION BY RANGE (day);
CREATE TABLE booking_2025 PARTITION OF booking FOR VALUES FROM ('2025-01-01') TO ('2026-01-01');
CREATE TABLE booking_2026 PARTITION OF booking FOR VALUES FROM ('2026-01-01') TO ('2027-01-01');
INSERT INTO booking SELECT i, date '2025-01-01' + i, i % 300 FROM generate_series(0, 700) i;
ALTER TABLE booking ADD CONSTRAINT booking_customer FOREIGN KEY (customer_id) REFERENCES customer;
CREATE TABLE payment (id bigint PRIMARY KEY, booking_id bigint, booking_day date);
INSERT INTO payment SELECT i, i, date '2025-01-01' + i FROM generate_series(365, 700) i;
ALTER TABLE payment ADD CONSTRAINT payment_booking FOREIGN KEY (booking_id, booking_day) REFERENCES booking;
