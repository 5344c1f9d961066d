-- hot: public.comment
CREATE TABLE ticket (id int PRIMARY KEY, project int NOT NULL);
CREATE TABLE comment (ticket int NOT NULL, id bigint NOT NULL, author int NOT NULL, written timestamptz NOT NULL, hidden boolean NOT NULL, body text NOT NULL, PRIMARY KEY (id, ticket));
CREATE INDEX ON comment (ticket, written);
CREATE INDEX ON comment (author) WHERE NOT hidden;
CREATE INDEX ON ticket (project);
