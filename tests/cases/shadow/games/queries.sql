-- name: score
-- calls: 900 per second
INSERT INTO score (game, player, at, points) VALUES ($1, $2, $3, $4);

-- name: high scores
-- calls: 200 per second
SELECT player, points FROM score WHERE game = $1 ORDER BY points DESC LIMIT 10;

-- name: of a player
-- calls: 300 per second
SELECT * FROM score WHERE player = $1 ORDER BY at DESC LIMIT 20;

-- name: best of a player
-- calls: 250 per second
SELECT max(points) FROM score WHERE player = $1 AND game = $2;

-- name: played lately
-- calls: 0.5 per second
SELECT count(DISTINCT player) FROM score WHERE at >= $1;
