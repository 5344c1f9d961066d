-- hot: public.scan
CREATE TABLE parcel (id bigint PRIMARY KEY, customer int NOT NULL);
CREATE TABLE scan (parcel bigint NOT NULL, station int NOT NULL, at timestamptz NOT NULL, kind smallint NOT NULL, PRIMARY KEY (parcel, at));
CREATE INDEX ON scan (station, at);
CREATE INDEX ON parcel (customer);
