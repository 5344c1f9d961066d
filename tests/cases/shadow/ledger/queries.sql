-- name: book
-- calls: 500 per second
INSERT INTO entry (account, id, booked, amount, reference) VALUES ($1, $2, $3, $4, $5);

-- name: balance
-- calls: 200 per second
SELECT sum(amount) FROM entry WHERE account = $1;

-- name: by reference
-- calls: 80 per second
SELECT * FROM entry WHERE reference = $1;

-- name: statement of a month
-- calls: 20 per second
SELECT * FROM entry WHERE account = $1 AND booked >= $2 AND booked < $3 ORDER BY id;

-- name: day total
-- calls: 0.5 per second
SELECT booked, sum(amount) FROM entry WHERE booked >= $1 AND booked < $2 GROUP BY booked;
