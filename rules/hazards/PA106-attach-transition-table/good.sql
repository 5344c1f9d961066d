SET lock_timeout = '2s';
DROP TRIGGER note_rows ON orders_2027;
ALTER TABLE orders ATTACH PARTITION orders_2027 FOR VALUES FROM ('2027-01-01') TO ('2028-01-01');
