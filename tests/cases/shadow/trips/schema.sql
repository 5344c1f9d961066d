-- hot: public.position
CREATE TABLE vehicle (id int PRIMARY KEY, fleet int NOT NULL);
CREATE TABLE position (vehicle int NOT NULL, trip bigint NOT NULL, at timestamptz NOT NULL, lat real NOT NULL, lon real NOT NULL, PRIMARY KEY (trip, vehicle, at));
CREATE INDEX ON position (vehicle, at);
CREATE INDEX ON vehicle (fleet);
