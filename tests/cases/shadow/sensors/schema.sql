-- hot: public.reading
CREATE TABLE sensor (id int PRIMARY KEY, site int NOT NULL);
CREATE TABLE reading (sensor int NOT NULL, at timestamptz NOT NULL, value double precision NOT NULL, PRIMARY KEY (sensor, at));
CREATE INDEX ON reading (at);
