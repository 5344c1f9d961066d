-- name: vote
-- calls: 2000 per second
INSERT INTO vote (poll, voter, choice, region, at) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (poll, voter) DO NOTHING;

-- name: result
-- calls: 2 per second
SELECT choice, count(*) FROM vote WHERE poll = $1 GROUP BY choice;

-- name: has voted
-- calls: 600 per second
SELECT EXISTS (SELECT FROM vote WHERE poll = $1 AND voter = $2);

-- name: of a voter
-- calls: 50 per second
SELECT poll, choice FROM vote WHERE voter = $1;

-- name: by region
-- calls: 0.5 per second
SELECT region, choice, count(*) FROM vote WHERE poll = $1 GROUP BY region, choice;
