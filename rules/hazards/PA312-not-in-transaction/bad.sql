BEGIN;
DELETE FROM payments WHERE id < 10;
VACUUM payments;
COMMIT;
