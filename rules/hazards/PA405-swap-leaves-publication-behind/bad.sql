-- docs still publishes the table now called doc_past; what goes into doc_2027 is sent to nobody
SET lock_timeout = '2s';
CREATE TABLE doc_new (LIKE doc INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING INDEXES) PARTITION BY RANGE (created);
CREATE TABLE doc_2027 PARTITION OF doc_new FOR VALUES FROM ('2027-01-01') TO ('2028-01-01');
ALTER TABLE doc ADD CONSTRAINT doc_past CHECK (created >= '2020-01-01' AND created < '2027-01-01') NOT VALID;
ALTER TABLE doc VALIDATE CONSTRAINT doc_past;
BEGIN;
ALTER TABLE doc RENAME TO doc_past;
ALTER TABLE doc_new RENAME TO doc;
ALTER TABLE doc ATTACH PARTITION doc_past FOR VALUES FROM ('2020-01-01') TO ('2027-01-01');
COMMIT;
