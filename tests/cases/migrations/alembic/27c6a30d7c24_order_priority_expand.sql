BEGIN;

-- Running upgrade 8f0c31d2a4e5 -> 27c6a30d7c24

SET LOCAL lock_timeout = '2s';

ALTER TABLE orders ADD COLUMN priority INTEGER DEFAULT 0 NOT NULL;

UPDATE alembic_version SET version_num='27c6a30d7c24' WHERE alembic_version.version_num = '8f0c31d2a4e5';

COMMIT;
