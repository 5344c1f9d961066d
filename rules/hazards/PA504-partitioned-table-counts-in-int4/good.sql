CREATE TABLE tickets (id bigserial, day date NOT NULL, title text, PRIMARY KEY (id, day)) PARTITION BY RANGE (day);
CREATE TABLE tickets_all PARTITION OF tickets FOR VALUES FROM (MINVALUE) TO (MAXVALUE);
