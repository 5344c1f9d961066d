SET lock_timeout = '2s';
ALTER TABLE alerts_by_region ADD COLUMN device_id int;
ALTER TABLE alerts_by_region ADD FOREIGN KEY (device_id) REFERENCES devices (id) NOT VALID;
