SET session_replication_role = replica;
INSERT INTO payments (id, order_id, amount) VALUES (8000, 4711, 1);
RESET session_replication_role;
