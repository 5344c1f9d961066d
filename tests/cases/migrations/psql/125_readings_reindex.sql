BEGIN;
SET LOCAL lock_timeout = '2s';
CREATE TABLE reindexed (at timestamptz);
REINDEX TABLE readings;
COMMIT;
