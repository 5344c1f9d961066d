-- hot: public.metric
CREATE TABLE metric (host text COLLATE "C" NOT NULL, name text COLLATE "C" NOT NULL, at timestamptz NOT NULL, value real, PRIMARY KEY (host, name, at));
CREATE INDEX ON metric (name, at);
