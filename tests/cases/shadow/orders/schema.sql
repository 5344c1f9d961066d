-- hot: public.order_line
CREATE TABLE product (id int PRIMARY KEY, name text NOT NULL, price numeric(8,2) NOT NULL);
CREATE TABLE orders (warehouse int NOT NULL, id int NOT NULL, customer int NOT NULL, placed timestamptz NOT NULL, PRIMARY KEY (warehouse, id));
CREATE TABLE order_line (
  warehouse int NOT NULL, order_id int NOT NULL, number int NOT NULL, product int NOT NULL REFERENCES product,
  quantity int NOT NULL, amount numeric(8,2) NOT NULL, shipped date,
  PRIMARY KEY (warehouse, order_id, number));
CREATE INDEX ON order_line (product);
