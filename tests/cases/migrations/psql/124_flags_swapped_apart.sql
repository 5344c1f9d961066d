SET lock_timeout = '2s';
CREATE TABLE feature_flags_new (LIKE feature_flags INCLUDING ALL);
ALTER TABLE feature_flags RENAME TO feature_flags_old;
ALTER TABLE feature_flags_new RENAME TO feature_flags;
