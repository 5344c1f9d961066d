-- name: add line
-- calls: 900 per second
INSERT INTO order_line (warehouse, order_id, number, product, quantity, amount) VALUES ($1, $2, $3, $4, $5, $6);

-- name: lines of an order
-- calls: 400 per second
SELECT * FROM order_line WHERE warehouse = $1 AND order_id = $2;

-- name: sold of a product
-- calls: 20 per second
SELECT count(*), sum(quantity) FROM order_line WHERE product = $1;

-- name: ship
-- calls: 80 per second
UPDATE order_line SET shipped = $4 WHERE warehouse = $1 AND order_id = $2 AND number = $3;

-- name: order with products
-- calls: 60 per second
SELECT l.number, p.name FROM order_line l JOIN product p ON p.id = l.product WHERE l.warehouse = $1 AND l.order_id = $2 ORDER BY l.number;

-- name: turnover of a warehouse
-- calls: 0.2 per second
SELECT sum(amount) FROM order_line WHERE warehouse = $1;
