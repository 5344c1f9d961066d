BEGIN;

-- Running upgrade 5a7701c0de55 -> 6c11d20f77aa

SET LOCAL lock_timeout = '5s';

ALTER TABLE invitations RENAME email TO address;

ALTER TABLE invitations DROP COLUMN sent_at;

UPDATE alembic_version SET version_num='6c11d20f77aa' WHERE alembic_version.version_num = '5a7701c0de55';

COMMIT;
