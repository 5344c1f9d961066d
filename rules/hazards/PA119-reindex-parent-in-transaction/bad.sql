-- every partition is a transaction of its own, so it refuses to be part of one
BEGIN;
SET LOCAL lock_timeout = '2s';
REINDEX TABLE orders;
COMMIT;
