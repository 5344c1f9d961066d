SET lock_timeout = '2s';
CREATE TABLE visit (id bigint PRIMARY KEY, day date NOT NULL) PARTITION BY RANGE (day);
CREATE TABLE visit_rest PARTITION OF visit FOR VALUES FROM ('2026-01-01') TO (MAXVALUE);
