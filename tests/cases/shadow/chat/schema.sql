-- hot: public.message
CREATE TABLE room (id int PRIMARY KEY, title text);
CREATE TABLE message (room int NOT NULL REFERENCES room, id bigint NOT NULL, sender int NOT NULL, at timestamptz NOT NULL, body text NOT NULL, PRIMARY KEY (room, id));
CREATE INDEX ON message (sender);
