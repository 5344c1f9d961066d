-- name: comment
-- calls: 150 per second
INSERT INTO comment (ticket, id, author, written, hidden, body) VALUES ($1, $2, $3, $4, $5, $6);

-- name: thread
-- calls: 400 per second
SELECT * FROM comment WHERE ticket = $1 ORDER BY written;

-- name: one
-- calls: 60 per second
SELECT body FROM comment WHERE id = $1;

-- name: by author
-- calls: 20 per second
SELECT id, ticket FROM comment WHERE author = $1 AND NOT hidden;

-- name: project
-- calls: 2 per second
SELECT t.id, count(*) FROM ticket t JOIN comment c ON c.ticket = t.id WHERE t.project = $1 GROUP BY t.id;

-- name: edit
-- calls: 30 per second
UPDATE comment SET body = $3 WHERE id = $1 AND ticket = $2;
