-- by hash; and the rows of a third of its buckets, to be attached
CREATE TABLE basket (id bigint NOT NULL, note text) PARTITION BY HASH (id);
CREATE TABLE basket_0 PARTITION OF basket FOR VALUES WITH (MODULUS 2, REMAINDER 0);
INSERT INTO basket SELECT i, 'n' FROM generate_series(1, 600) i WHERE satisfies_hash_partition('basket'::regclass, 2, 0, i::bigint);
CREATE TABLE basket_1 (LIKE basket);
INSERT INTO basket_1 SELECT i, 'n' FROM generate_series(1, 600) i WHERE satisfies_hash_partition('basket'::regclass, 2, 1, i::bigint);
