CREATE TABLE visits (page text, at timestamp NOT NULL) PARTITION BY RANGE (date_trunc('month', at));
CREATE TABLE visits_old PARTITION OF visits FOR VALUES FROM (MINVALUE) TO ('2026-01-01');
CREATE TABLE visits_new PARTITION OF visits FOR VALUES FROM ('2026-01-01') TO (MAXVALUE);
