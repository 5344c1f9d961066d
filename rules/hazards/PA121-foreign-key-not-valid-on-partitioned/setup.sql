CREATE TABLE seller (id int PRIMARY KEY);
INSERT INTO seller SELECT generate_series(0, 300);
