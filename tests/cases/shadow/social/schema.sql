-- hot: public.post
CREATE TABLE follower (person int NOT NULL, follows int NOT NULL, PRIMARY KEY (person, follows));
CREATE TABLE post (id bigint NOT NULL, author int NOT NULL, at timestamptz NOT NULL, body text NOT NULL, likes int NOT NULL DEFAULT 0, PRIMARY KEY (author, id));
CREATE INDEX ON post (author, at DESC);
CREATE INDEX ON post (id);
