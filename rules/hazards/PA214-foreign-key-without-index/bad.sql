CREATE TABLE returns (id bigint PRIMARY KEY, order_id bigint NOT NULL);
CREATE TABLE return_lines (line bigint PRIMARY KEY, return_id bigint NOT NULL REFERENCES returns ON DELETE CASCADE);
