-- The statements of the order-entry mix that touch the big tables, with weights for about 2,000 transactions a second.

-- name: next order number
-- calls: 900 per second
-- mean_ms: 0.3
UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = $1 AND d_id = $2 RETURNING d_next_o_id, d_tax;

-- name: add order
-- calls: 900 per second
-- mean_ms: 0.4
-- rows: 1
INSERT INTO orders (o_w_id, o_d_id, o_id, o_c_id, o_entry_d, o_ol_cnt, o_all_local) VALUES ($1, $2, $3, $4, $5, $6, $7);

-- name: queue order
-- calls: 900 per second
-- mean_ms: 0.2
-- rows: 1
INSERT INTO new_order (no_w_id, no_d_id, no_o_id) VALUES ($1, $2, $3);

-- name: add order lines
-- calls: 900 per second
-- mean_ms: 48
-- rows: 10
INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_dist_info)
SELECT $1, $2, $3, n, ($4::int[])[n], $1, 5, ($5::numeric[])[n], 'dist' FROM generate_series(1, $6) AS n;

-- name: take from stock
-- calls: 9000 per second
-- mean_ms: 0.2
UPDATE stock SET s_quantity = s_quantity - $1, s_ytd = s_ytd + $1, s_order_cnt = s_order_cnt + 1
 WHERE s_i_id = $2 AND s_w_id = $3;

-- name: item price
-- calls: 9000 per second
-- mean_ms: 0.05
SELECT i_price, i_name, i_data FROM item WHERE i_id = $1;

-- name: pay
-- calls: 860 per second
-- mean_ms: 0.3
UPDATE customer SET c_balance = c_balance - $1 WHERE c_w_id = $2 AND c_d_id = $3 AND c_id = $4;

-- name: payment history
-- calls: 860 per second
-- mean_ms: 0.4
-- rows: 1
INSERT INTO history (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8);

-- name: last order of a customer
-- calls: 80 per second
-- mean_ms: 0.2
SELECT o_id, o_carrier_id, o_entry_d FROM orders WHERE o_w_id = $1 AND o_d_id = $2 AND o_c_id = $3
 ORDER BY o_id DESC LIMIT 1;

-- name: lines of an order
-- calls: 80 per second
-- mean_ms: 0.2
SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d FROM order_line
 WHERE ol_w_id = $1 AND ol_d_id = $2 AND ol_o_id = $3;

-- name: deliver lines
-- calls: 800 per second
-- mean_ms: 0.3
UPDATE order_line SET ol_delivery_d = $1 WHERE ol_w_id = $2 AND ol_d_id = $3 AND ol_o_id = $4;

-- name: low stock
-- calls: 80 per second
-- mean_ms: 4
SELECT count(DISTINCT s_i_id) FROM order_line JOIN stock ON s_i_id = ol_i_id AND s_w_id = ol_w_id
 WHERE ol_w_id = $1 AND ol_d_id = $2 AND ol_o_id >= $3 AND ol_o_id < $4 AND s_quantity < $5;
