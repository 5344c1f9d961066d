SET lock_timeout = '2s';
CREATE TABLE reading (id bigint NOT NULL, at timestamptz NOT NULL DEFAULT now()) PARTITION BY RANGE (at);
