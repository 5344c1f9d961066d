CREATE TABLE orders_by_region (id bigint NOT NULL, region text NOT NULL) PARTITION BY LIST (region);
CREATE TABLE orders_eu PARTITION OF orders_by_region FOR VALUES IN ('eu');
CREATE TABLE orders_us PARTITION OF orders_by_region FOR VALUES IN ('us');
CREATE TABLE orders_elsewhere PARTITION OF orders_by_region DEFAULT;
