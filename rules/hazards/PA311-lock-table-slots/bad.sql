SET lock_timeout = '2s';
ALTER TABLE readings ADD COLUMN note text;
