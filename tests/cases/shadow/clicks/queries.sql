-- name: click
-- calls: 3000 per second
INSERT INTO web.click (id, session, campaign, at, url) VALUES ($1, $2, $3, $4, $5);

-- name: session
-- calls: 150 per second
SELECT * FROM web.click WHERE session = $1 ORDER BY at;

-- name: campaign day
-- calls: 3 per second
SELECT count(*), count(DISTINCT session) FROM web.click WHERE campaign = $1 AND at >= $2 AND at < $3;

-- name: one click
-- calls: 60 per second
SELECT url FROM web.click WHERE id = $1;

-- name: top pages
-- calls: 0.1 per second
SELECT url, count(*) FROM web.click WHERE campaign = $1 GROUP BY url ORDER BY 2 DESC LIMIT 10;
