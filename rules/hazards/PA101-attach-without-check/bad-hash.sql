-- the other remainder's rows fill the rest of the table
SET lock_timeout = '2s';
CREATE TABLE basket_0 (LIKE basket);
ALTER TABLE basket ATTACH PARTITION basket_0 FOR VALUES WITH (MODULUS 2, REMAINDER 0);
ALTER TABLE basket ATTACH PARTITION basket_1 FOR VALUES WITH (MODULUS 2, REMAINDER 1);
