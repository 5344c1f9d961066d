SET lock_timeout = '2s';
ALTER TABLE tenants DROP CONSTRAINT tenants_pkey;
