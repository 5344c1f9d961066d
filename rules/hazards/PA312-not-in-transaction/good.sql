BEGIN;
DELETE FROM payments WHERE id < 10;
COMMIT;
VACUUM payments;
