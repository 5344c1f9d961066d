-- name: add reading
-- calls: 4000 per second
INSERT INTO reading (sensor, at, value) VALUES ($1, $2, $3);

-- name: latest of a sensor
-- calls: 300 per second
SELECT value FROM reading WHERE sensor = $1 ORDER BY at DESC LIMIT 1;

-- name: mean of a day
-- calls: 1 per second
SELECT avg(value) FROM reading WHERE at >= $1 AND at < $2;

-- name: series of a sensor
-- calls: 40 per second
SELECT at, value FROM reading WHERE sensor = $1 AND at >= $2 AND at < $3 ORDER BY at;

-- name: mean of a site
-- calls: 0.5 per second
SELECT s.site, avg(r.value) FROM reading r JOIN sensor s ON s.id = r.sensor WHERE r.at >= $1 GROUP BY s.site;
