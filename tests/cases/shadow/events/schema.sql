-- hot: public.event
CREATE TABLE event (
  id bigint NOT NULL, device int NOT NULL, kind text NOT NULL, at timestamptz NOT NULL, payload text NOT NULL,
  PRIMARY KEY (id, at, device));
CREATE INDEX ON event (device, at);
CREATE INDEX ON event (at);
