-- hot: public.vote
CREATE TABLE vote (poll int NOT NULL, voter bigint NOT NULL, choice int NOT NULL, region text NOT NULL, at timestamptz NOT NULL, PRIMARY KEY (poll, voter));
CREATE INDEX ON vote (voter);
