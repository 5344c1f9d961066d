-- name: put
-- calls: 800 per second
INSERT INTO job (id, queue, state, run_at, body) VALUES ($1, $2, $3, $4, $5);

-- name: take
-- calls: 700 per second
SELECT id FROM job WHERE queue = $1 AND state = 'ready' ORDER BY run_at LIMIT 1 FOR UPDATE SKIP LOCKED;

-- name: finish
-- calls: 700 per second
UPDATE job SET state = 'done' WHERE id = $1 AND queue = $2;

-- name: look
-- calls: 100 per second
SELECT state FROM job WHERE id = $1;

-- name: depth
-- calls: 1 per second
SELECT queue, count(*) FROM job WHERE state = 'ready' GROUP BY queue;
