CREATE TABLE orders_by_region (id bigint NOT NULL, region text) PARTITION BY LIST (region);
CREATE TABLE orders_eu PARTITION OF orders_by_region FOR VALUES IN ('eu');
CREATE TABLE orders_us PARTITION OF orders_by_region FOR VALUES IN ('us');
