-- hot: public.movement
CREATE TABLE article (id int PRIMARY KEY, grp int NOT NULL);
CREATE TABLE movement (depot smallint NOT NULL, article int NOT NULL, id bigint NOT NULL, at timestamp NOT NULL, delta int NOT NULL, PRIMARY KEY (depot, article, id));
CREATE INDEX ON movement (article);
CREATE INDEX ON movement (at);
