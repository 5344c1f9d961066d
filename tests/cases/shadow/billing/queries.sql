-- name: meter
-- calls: 1200 per second
INSERT INTO usage (customer, day, meter, plan, units) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (customer, day, meter) DO UPDATE SET units = usage.units + excluded.units;

-- name: invoice
-- calls: 30 per second
SELECT meter, sum(units) FROM usage WHERE customer = $1 AND day >= $2 AND day < $3 GROUP BY meter;

-- name: today of a customer
-- calls: 200 per second
SELECT * FROM usage WHERE customer = $1 AND day = $2;

-- name: plan total
-- calls: 0.3 per second
SELECT sum(units) FROM usage WHERE plan = $1 AND day >= $2 AND day < $3;

-- name: all of a customer
-- calls: 20 per second
SELECT count(*) FROM usage WHERE customer = $1;
