-- the server's own function says which remainder a key belongs to
SET lock_timeout = '2s';
CREATE TABLE basket_0 (LIKE basket);
ALTER TABLE basket ATTACH PARTITION basket_0 FOR VALUES WITH (MODULUS 2, REMAINDER 0);
ALTER TABLE basket_1 ADD CONSTRAINT basket_1_remainder
  CHECK (satisfies_hash_partition('basket'::regclass, 2, 1, id)) NOT VALID;
ALTER TABLE basket_1 VALIDATE CONSTRAINT basket_1_remainder;
ALTER TABLE basket ATTACH PARTITION basket_1 FOR VALUES WITH (MODULUS 2, REMAINDER 1);
ALTER TABLE basket_1 DROP CONSTRAINT basket_1_remainder;
