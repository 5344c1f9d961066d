-- payments.id reaches two thousand million in March
BEGIN;
SET LOCAL lock_timeout = '5s';
ALTER TABLE payments ALTER COLUMN id TYPE bigint;
ALTER SEQUENCE payments_id_seq AS bigint;
COMMIT;
