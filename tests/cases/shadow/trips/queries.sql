-- name: report
-- calls: 2500 per second
INSERT INTO position (vehicle, trip, at, lat, lon) VALUES ($1, $2, $3, $4, $5);

-- name: where is it
-- calls: 400 per second
SELECT lat, lon FROM position WHERE vehicle = $1 ORDER BY at DESC LIMIT 1;

-- name: trip
-- calls: 100 per second
SELECT * FROM position WHERE trip = $1 AND vehicle = $2 ORDER BY at;

-- name: trip alone
-- calls: 30 per second
SELECT count(*) FROM position WHERE trip = $1;

-- name: fleet
-- calls: 1 per second
SELECT v.id, max(p.at) FROM vehicle v JOIN position p ON p.vehicle = v.id WHERE v.fleet = $1 GROUP BY v.id;

-- name: day
-- calls: 0.2 per second
SELECT count(*) FROM position WHERE at >= $1 AND at < $2;
