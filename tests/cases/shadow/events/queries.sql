-- name: add event
-- calls: 1500 per second
INSERT INTO event (id, device, kind, at, payload) VALUES ($1, $2, $3, $4, $5);

-- name: recent of a device
-- calls: 200 per second
SELECT * FROM event WHERE device = $1 AND at >= $2 ORDER BY at DESC LIMIT $3;

-- name: count of a period
-- calls: 2 per second
SELECT kind, count(*) FROM event WHERE at >= $1 AND at < $2 GROUP BY kind;

-- name: one event
-- calls: 50 per second
SELECT * FROM event WHERE id = $1;

-- name: clean up
-- calls: 0.05 per second
DELETE FROM event WHERE at < $1;
