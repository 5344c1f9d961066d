SET lock_timeout = '2s';
ALTER TABLE accounts DROP CONSTRAINT accounts_pkey;
