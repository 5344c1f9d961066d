SET lock_timeout = '2s';
CREATE TABLE reading (id bigint NOT NULL, at timestamptz NOT NULL DEFAULT now()) PARTITION BY RANGE (at);
CREATE TABLE reading_past PARTITION OF reading FOR VALUES FROM (MINVALUE) TO ('2100-01-01 00:00+00');
