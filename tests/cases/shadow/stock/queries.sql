-- name: move
-- calls: 700 per second
INSERT INTO movement (depot, article, id, at, delta) VALUES ($1, $2, $3, $4, $5);

-- name: stock of an article in a depot
-- calls: 400 per second
SELECT sum(delta) FROM movement WHERE depot = $1 AND article = $2;

-- name: stock of an article
-- calls: 60 per second
SELECT depot, sum(delta) FROM movement WHERE article = $1 GROUP BY depot;

-- name: group
-- calls: 0.5 per second
SELECT sum(m.delta) FROM movement m JOIN article a ON a.id = m.article WHERE a.grp = $1 AND m.depot = $2;

-- name: since
-- calls: 1 per second
SELECT count(*) FROM movement WHERE at >= $1 AND at < $2;
