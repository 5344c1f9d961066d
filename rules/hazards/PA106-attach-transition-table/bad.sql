-- a row trigger with a transition table cannot live on a partition
SET lock_timeout = '2s';
ALTER TABLE orders ATTACH PARTITION orders_2027 FOR VALUES FROM ('2027-01-01') TO ('2028-01-01');
