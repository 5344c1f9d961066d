CREATE TABLE author (id int PRIMARY KEY);
INSERT INTO author SELECT generate_series(1, 300);
ALTER TABLE doc ADD COLUMN author_id int CONSTRAINT doc_author REFERENCES author;
