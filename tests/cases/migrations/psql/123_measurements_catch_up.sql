-- copied by day, the rest in the maintenance window
SET lock_timeout = '2s';
CREATE TABLE measurements_new (LIKE measurements_old INCLUDING ALL) PARTITION BY HASH (id);
CREATE TABLE measurements_0 PARTITION OF measurements_new FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE measurements_1 PARTITION OF measurements_new FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO measurements_new OVERRIDING SYSTEM VALUE SELECT * FROM measurements_old;
SELECT setval(pg_get_serial_sequence('measurements_new', 'id'), 10000);
BEGIN;
LOCK TABLE measurements_old IN ACCESS EXCLUSIVE MODE;
INSERT INTO measurements_new OVERRIDING SYSTEM VALUE
    SELECT * FROM measurements_old WHERE id > (SELECT max(id) FROM measurements_new);
ALTER TABLE measurements_old RENAME TO measurements_retired;
ALTER TABLE measurements_new RENAME TO measurements_old;
COMMIT;
