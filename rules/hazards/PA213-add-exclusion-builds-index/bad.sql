SET lock_timeout = '2s';
ALTER TABLE payments ADD CONSTRAINT payments_once EXCLUDE USING btree (id WITH =);
