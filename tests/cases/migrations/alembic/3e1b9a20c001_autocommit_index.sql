BEGIN;

-- Running upgrade 27c6a30d7c24 -> 3e1b9a20c001

COMMIT;

CREATE INDEX CONCURRENTLY ix_payments_provider ON payments (provider);

BEGIN;

UPDATE alembic_version SET version_num='3e1b9a20c001' WHERE alembic_version.version_num = '27c6a30d7c24';

COMMIT;
