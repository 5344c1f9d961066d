SET lock_timeout = '2s';
CREATE TABLE visit (id bigint NOT NULL, day date NOT NULL) PARTITION BY RANGE (day);
CREATE TABLE visit_rest PARTITION OF visit FOR VALUES FROM ('2026-01-01') TO (MAXVALUE);
CREATE UNIQUE INDEX visit_id ON visit (id);
