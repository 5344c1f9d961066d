-- name: deliver
-- calls: 400 per second
INSERT INTO mail (mailbox, id, folder, received, sender, seen) VALUES ($1, $2, $3, $4, $5, false);

-- name: folder
-- calls: 300 per second
SELECT id, sender FROM mail WHERE mailbox = $1 AND folder = $2 ORDER BY received DESC LIMIT $3;

-- name: unseen
-- calls: 500 per second
SELECT count(*) FROM mail WHERE mailbox = $1 AND NOT seen;

-- name: from
-- calls: 5 per second
SELECT * FROM mail WHERE sender = $1 AND received >= $2;

-- name: see
-- calls: 100 per second
UPDATE mail SET seen = true WHERE mailbox = $1 AND id = $2;
