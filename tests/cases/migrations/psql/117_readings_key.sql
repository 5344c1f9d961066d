SET lock_timeout = '2s';
CREATE UNIQUE INDEX readings_time ON readings (measured_at);
