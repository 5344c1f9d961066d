SET lock_timeout = '2s';
ALTER TABLE invitations ADD COLUMN inviter_id int;
ALTER TABLE invitations ADD CONSTRAINT invitations_inviter_fk
    FOREIGN KEY (inviter_id) REFERENCES users (id) NOT VALID;
