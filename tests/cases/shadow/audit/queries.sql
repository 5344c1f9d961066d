-- name: note
-- calls: 900 per second
INSERT INTO audit (id, actor, object_type, object_id, at, change) VALUES ($1, $2, $3, $4, $5, $6);

-- name: history of an object
-- calls: 60 per second
SELECT * FROM audit WHERE object_type = $1 AND object_id = $2 ORDER BY at;

-- name: what an actor did
-- calls: 10 per second
SELECT * FROM audit WHERE actor = $1 AND at >= $2 AND at < $3;

-- name: report
-- calls: 0.1 per second
SELECT object_type, count(*) FROM audit WHERE at >= $1 AND at < $2 GROUP BY object_type;

-- name: expire
-- calls: 0.01 per second
DELETE FROM audit WHERE at < $1;
