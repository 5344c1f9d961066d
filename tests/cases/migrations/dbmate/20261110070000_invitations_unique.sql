-- migrate:up
SET LOCAL lock_timeout = '3s';
ALTER TABLE invitations ADD CONSTRAINT invitations_once UNIQUE (tenant_id, email);

-- migrate:down
ALTER TABLE invitations DROP CONSTRAINT invitations_once;
