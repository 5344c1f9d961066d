-- Deploy saas:no_overlaps to pg

BEGIN;

SET LOCAL lock_timeout = '2s';
ALTER TABLE jobs ADD CONSTRAINT jobs_one_at_a_time EXCLUDE USING btree (id WITH =);

COMMIT;
