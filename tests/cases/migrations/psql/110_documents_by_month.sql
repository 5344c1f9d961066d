-- documents by month, in one go at night
SET lock_timeout = '2s';
CREATE TABLE documents_new (
    id bigint NOT NULL DEFAULT nextval('documents_id_seq'),
    tenant_id int NOT NULL,
    owner_id bigint,
    title varchar(100) NOT NULL,
    body text,
    state text,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (id, created_at)
) PARTITION BY RANGE (created_at);
CREATE TABLE documents_old_months PARTITION OF documents_new FOR VALUES FROM (MINVALUE) TO ('2027-01-01 00:00+00');
CREATE TABLE documents_2027_01 PARTITION OF documents_new
    FOR VALUES FROM ('2027-01-01 00:00+00') TO ('2027-02-01 00:00+00');
INSERT INTO documents_new SELECT * FROM documents;
BEGIN;
ALTER TABLE documents RENAME TO documents_old;
ALTER TABLE documents_new RENAME TO documents;
COMMIT;
