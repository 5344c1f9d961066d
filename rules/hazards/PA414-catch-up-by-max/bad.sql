-- a row with a smaller id that commits later is never copied, nor is any change of a copied row
SET lock_timeout = '2s';
CREATE TABLE doc_new (LIKE doc INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING INDEXES) PARTITION BY RANGE (created);
CREATE TABLE doc_2026 PARTITION OF doc_new FOR VALUES FROM ('2020-01-01') TO ('2027-01-01');
CREATE TABLE doc_2027 PARTITION OF doc_new FOR VALUES FROM ('2027-01-01') TO ('2028-01-01');
INSERT INTO doc_new SELECT * FROM doc;
BEGIN;
LOCK TABLE doc IN ACCESS EXCLUSIVE MODE;
INSERT INTO doc_new SELECT * FROM doc WHERE id > (SELECT max(id) FROM doc_new);
ALTER TABLE doc RENAME TO doc_old;
ALTER TABLE doc_new RENAME TO doc;
COMMIT;
