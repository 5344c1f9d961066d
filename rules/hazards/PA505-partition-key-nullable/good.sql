CREATE TABLE stays (guest text, arrival date NOT NULL DEFAULT current_date) PARTITION BY RANGE (arrival);
CREATE TABLE stays_all PARTITION OF stays FOR VALUES FROM (MINVALUE) TO (MAXVALUE);
