-- the remainders fill the modulus; larger moduli may stand for several small ones
SET lock_timeout = '2s';
CREATE TABLE visit (id bigint NOT NULL, note text) PARTITION BY HASH (id);
CREATE TABLE visit_0 PARTITION OF visit FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE visit_1 PARTITION OF visit FOR VALUES WITH (MODULUS 4, REMAINDER 1);
CREATE TABLE visit_3 PARTITION OF visit FOR VALUES WITH (MODULUS 4, REMAINDER 3);
