-- migrate:up transaction:false
CREATE UNIQUE INDEX CONCURRENTLY invitations_once ON invitations (tenant_id, email);

-- migrate:down transaction:false
DROP INDEX CONCURRENTLY invitations_once;
