CREATE TABLE warehouse (
    w_id integer PRIMARY KEY,
    w_name text NOT NULL,
    w_tax numeric(4,4) NOT NULL
);
CREATE TABLE district (
    d_w_id integer NOT NULL REFERENCES warehouse,
    d_id integer NOT NULL,
    d_name text NOT NULL,
    PRIMARY KEY (d_w_id, d_id)
);
CREATE TABLE customer (
    c_w_id integer NOT NULL,
    c_d_id integer NOT NULL,
    c_id integer NOT NULL,
    c_last text NOT NULL,
    PRIMARY KEY (c_w_id, c_d_id, c_id)
);
CREATE SEQUENCE order_number;
CREATE TABLE orders (
    o_w_id integer NOT NULL,
    o_d_id integer NOT NULL,
    o_id bigint NOT NULL,
    o_c_id integer NOT NULL,
    o_entry_d timestamptz NOT NULL DEFAULT now(),
    o_ol_cnt integer NOT NULL,
    o_total numeric(12,2) NOT NULL,
    PRIMARY KEY (o_w_id, o_d_id, o_id)
);
CREATE TABLE history (
    h_w_id integer NOT NULL,
    h_d_id integer NOT NULL,
    h_c_id integer NOT NULL,
    h_date timestamptz NOT NULL DEFAULT now(),
    h_amount numeric(12,2) NOT NULL
);
CREATE TABLE order_line (
    ol_w_id integer NOT NULL,
    ol_d_id integer NOT NULL,
    ol_o_id bigint NOT NULL,
    ol_number integer NOT NULL,
    ol_i_id integer NOT NULL,
    ol_quantity integer NOT NULL,
    ol_amount numeric(8,2) NOT NULL,
    ol_delivery_d timestamptz,
    ol_dist_info text NOT NULL,
    PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number)
) WITH (fillfactor = ${fillfactor});
COMMENT ON TABLE order_line IS 'Lines of an order; room is left in each page for the update at delivery.';
INSERT INTO warehouse SELECT w, 'Warehouse ' || w, 0.05 FROM generate_series(1, 50) AS w;
INSERT INTO district SELECT w, d, 'District ' || d FROM generate_series(1, 50) AS w, generate_series(1, 10) AS d;
INSERT INTO customer
SELECT w, d, c, 'Customer ' || c
FROM generate_series(1, 50) AS w, generate_series(1, 10) AS d, generate_series(1, 30) AS c;
INSERT INTO orders
SELECT w, d, o, 1 + o % 30, now(), 20, 200.00
FROM generate_series(1, 50) AS w, generate_series(1, 10) AS d, generate_series(1, ${old_orders}) AS o;
INSERT INTO order_line
SELECT w, d, o, l, l, 1, 10.00, NULL, repeat('x', ${line_bytes})
FROM generate_series(1, 50) AS w, generate_series(1, 10) AS d, generate_series(1, ${old_orders}) AS o,
     generate_series(1, 20) AS l;
SELECT setval('order_number', 1000);
VACUUM ANALYZE;
CHECKPOINT;
