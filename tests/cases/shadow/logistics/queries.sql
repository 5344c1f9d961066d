-- name: scan
-- calls: 1000 per second
INSERT INTO scan (parcel, station, at, kind) VALUES ($1, $2, $3, $4);

-- name: track
-- calls: 500 per second
SELECT * FROM scan WHERE parcel = $1 ORDER BY at;

-- name: parcels of a customer
-- calls: 40 per second
SELECT p.id, s.at, s.kind FROM parcel p JOIN scan s ON s.parcel = p.id WHERE p.customer = $1;

-- name: station hour
-- calls: 2 per second
SELECT count(*) FROM scan WHERE station = $1 AND at >= $2 AND at < $3;

-- name: last scan
-- calls: 100 per second
SELECT station FROM scan WHERE parcel = $1 ORDER BY at DESC LIMIT 1;
