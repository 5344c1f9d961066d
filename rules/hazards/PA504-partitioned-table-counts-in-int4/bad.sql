CREATE TABLE tickets (id serial, day date NOT NULL, title text, PRIMARY KEY (id, day)) PARTITION BY RANGE (day);
CREATE TABLE tickets_all PARTITION OF tickets FOR VALUES FROM (MINVALUE) TO (MAXVALUE);
