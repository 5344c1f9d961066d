-- name: write
-- calls: 200 per second
INSERT INTO post (id, author, at, body) VALUES ($1, $2, $3, $4);

-- name: wall
-- calls: 300 per second
SELECT * FROM post WHERE author = $1 ORDER BY at DESC LIMIT $2;

-- name: timeline
-- calls: 100 per second
SELECT p.* FROM follower f JOIN post p ON p.author = f.follows WHERE f.person = $1 ORDER BY p.at DESC LIMIT $2;

-- name: one post
-- calls: 250 per second
SELECT * FROM post WHERE id = $1;

-- name: like
-- calls: 120 per second
UPDATE post SET likes = likes + 1 WHERE author = $1 AND id = $2;
