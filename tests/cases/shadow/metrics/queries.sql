-- name: add
-- calls: 5000 per second
INSERT INTO metric (host, name, at, value) VALUES ($1, $2, $3, $4);

-- name: graph
-- calls: 60 per second
SELECT at, value FROM metric WHERE host = $1 AND name = $2 AND at >= $3 AND at < $4 ORDER BY at;

-- name: now
-- calls: 200 per second
SELECT value FROM metric WHERE host = $1 AND name = $2 ORDER BY at DESC LIMIT 1;

-- name: worst hosts
-- calls: 1 per second
SELECT host, max(value) FROM metric WHERE name = $1 AND at >= $2 AND at < $3 GROUP BY host ORDER BY 2 DESC LIMIT 5;

-- name: host view
-- calls: 10 per second
SELECT DISTINCT ON (name) name, value FROM metric WHERE host = $1 ORDER BY name, at DESC;
