-- logins by e-mail, whatever the case
SET lock_timeout = '2s';
UPDATE users SET email = lower(email);
CREATE UNIQUE INDEX users_email_lower ON users (lower(email));
