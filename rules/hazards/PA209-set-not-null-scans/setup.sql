CREATE UNIQUE INDEX orders_new_key ON orders (id, total);
