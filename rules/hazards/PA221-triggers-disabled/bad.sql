SET lock_timeout = '2s';
ALTER TABLE payments DISABLE TRIGGER ALL;
INSERT INTO payments (id, order_id, amount) VALUES (8000, 4711, 1);
ALTER TABLE payments ENABLE TRIGGER ALL;
