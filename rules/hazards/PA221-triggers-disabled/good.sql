INSERT INTO orders (id, placed_at) VALUES (4711, '2026-03-01 00:00+00');
INSERT INTO payments (id, order_id, amount) VALUES (8000, 4711, 1);
