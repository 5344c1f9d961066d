-- name: say
-- calls: 600 per second
INSERT INTO message (room, id, sender, at, body) VALUES ($1, $2, $3, $4, $5);

-- name: page of a room
-- calls: 400 per second
SELECT * FROM message WHERE room = $1 AND id < $2 ORDER BY id DESC LIMIT $3;

-- name: newest of a room
-- calls: 500 per second
SELECT * FROM message WHERE room = $1 ORDER BY id DESC LIMIT $2;

-- name: said by
-- calls: 15 per second
SELECT count(*) FROM message WHERE sender = $1;

-- name: unread
-- calls: 200 per second
SELECT count(*) FROM message WHERE room = $1 AND id > $2;
