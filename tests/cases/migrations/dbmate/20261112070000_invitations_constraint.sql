-- migrate:up
SET LOCAL lock_timeout = '3s';
ALTER TABLE invitations ADD CONSTRAINT invitations_email_shape CHECK (email LIKE '%@%') NOT VALID;

-- migrate:down
SET LOCAL lock_timeout = '3s';
ALTER TABLE invitations DROP CONSTRAINT invitations_email_shape;
