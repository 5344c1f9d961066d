SET lock_timeout = '2s';
CREATE TABLE visit (id bigint, day date, PRIMARY KEY (id, day)) PARTITION BY RANGE (day);
CREATE TABLE visit_rest PARTITION OF visit FOR VALUES FROM ('2026-01-01') TO (MAXVALUE);
