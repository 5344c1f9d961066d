-- An order-entry schema in the shape of TPC-C, with the primary keys that benchmark kits for PostgreSQL use.
CREATE TABLE item (
    i_id integer PRIMARY KEY,
    i_im_id integer,
    i_name varchar(24),
    i_price numeric(5,2),
    i_data varchar(50)
);
CREATE TABLE warehouse (
    w_id integer PRIMARY KEY,
    w_name varchar(10),
    w_street_1 varchar(20),
    w_city varchar(20),
    w_state char(2),
    w_zip char(9),
    w_tax numeric(4,4),
    w_ytd numeric(12,2)
);
CREATE TABLE district (
    d_w_id integer NOT NULL,
    d_id smallint NOT NULL,
    d_name varchar(10),
    d_city varchar(20),
    d_tax numeric(4,4),
    d_ytd numeric(12,2),
    d_next_o_id integer,
    PRIMARY KEY (d_w_id, d_id)
);
CREATE TABLE customer (
    c_w_id integer NOT NULL,
    c_d_id smallint NOT NULL,
    c_id integer NOT NULL,
    c_first varchar(16),
    c_last varchar(16),
    c_credit char(2),
    c_discount numeric(4,4),
    c_balance numeric(12,2),
    c_since timestamptz,
    c_data varchar(500),
    PRIMARY KEY (c_w_id, c_d_id, c_id)
);
CREATE INDEX customer_name ON customer (c_w_id, c_d_id, c_last, c_first);
CREATE TABLE history (
    h_c_id integer,
    h_c_d_id smallint,
    h_c_w_id integer,
    h_d_id smallint,
    h_w_id integer,
    h_date timestamptz,
    h_amount numeric(6,2),
    h_data varchar(24)
);
CREATE TABLE orders (
    o_w_id integer NOT NULL,
    o_d_id smallint NOT NULL,
    o_id integer NOT NULL,
    o_c_id integer,
    o_entry_d timestamptz,
    o_carrier_id smallint,
    o_ol_cnt smallint,
    o_all_local smallint,
    PRIMARY KEY (o_w_id, o_d_id, o_id)
);
CREATE UNIQUE INDEX orders_customer ON orders (o_w_id, o_d_id, o_c_id, o_id);
CREATE TABLE new_order (
    no_w_id integer NOT NULL,
    no_d_id smallint NOT NULL,
    no_o_id integer NOT NULL,
    PRIMARY KEY (no_w_id, no_d_id, no_o_id)
);
CREATE TABLE order_line (
    ol_w_id integer NOT NULL,
    ol_d_id smallint NOT NULL,
    ol_o_id integer NOT NULL,
    ol_number smallint NOT NULL,
    ol_i_id integer NOT NULL,
    ol_supply_w_id integer,
    ol_delivery_d timestamptz,
    ol_quantity smallint,
    ol_amount numeric(6,2),
    ol_dist_info char(24),
    PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number)
);
CREATE TABLE stock (
    s_i_id integer NOT NULL,
    s_w_id integer NOT NULL,
    s_quantity smallint,
    s_ytd integer,
    s_order_cnt integer,
    s_remote_cnt integer,
    s_data varchar(50),
    PRIMARY KEY (s_i_id, s_w_id)
);
