-- each range ends where the next begins
SET lock_timeout = '2s';
CREATE TABLE visit (id bigint NOT NULL, day date NOT NULL) PARTITION BY RANGE (day);
CREATE TABLE visit_2026 PARTITION OF visit FOR VALUES FROM ('2026-01-01') TO ('2027-01-01');
CREATE TABLE visit_2027 PARTITION OF visit FOR VALUES FROM ('2027-01-01') TO ('2028-01-01');
