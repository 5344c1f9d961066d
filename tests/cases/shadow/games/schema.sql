-- hot: public.score
CREATE TABLE score (game int NOT NULL, player int NOT NULL, at timestamptz NOT NULL, points int NOT NULL, PRIMARY KEY (player, game, at));
CREATE INDEX ON score (game, points DESC);
CREATE INDEX ON score (at);
