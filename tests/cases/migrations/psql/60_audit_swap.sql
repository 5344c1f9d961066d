BEGIN;
SET LOCAL lock_timeout = '2s';
CREATE TABLE sessions_new (LIKE sessions INCLUDING ALL) PARTITION BY HASH (id);
CREATE TABLE sessions_new_0 PARTITION OF sessions_new FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE sessions_new_1 PARTITION OF sessions_new FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO sessions_new SELECT * FROM sessions;
ALTER TABLE sessions RENAME TO sessions_old;
ALTER TABLE sessions_new RENAME TO sessions;
COMMIT;
