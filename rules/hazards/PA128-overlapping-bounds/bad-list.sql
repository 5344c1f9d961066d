SET lock_timeout = '2s';
CREATE TABLE visit (id bigint NOT NULL, region text) PARTITION BY LIST (region);
CREATE TABLE visit_eu PARTITION OF visit FOR VALUES IN ('eu', 'uk');
CREATE TABLE visit_uk PARTITION OF visit FOR VALUES IN ('uk');
