BEGIN;
ALTER TYPE payment_state ADD VALUE 'refunded';
CREATE TABLE refunds (id bigint PRIMARY KEY, state payment_state NOT NULL DEFAULT 'open');
INSERT INTO refunds VALUES (1, 'refunded');
COMMIT;
