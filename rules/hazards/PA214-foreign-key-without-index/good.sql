CREATE TABLE returns (id bigint PRIMARY KEY, order_id bigint NOT NULL);
CREATE TABLE return_lines (line bigint PRIMARY KEY, return_id bigint NOT NULL REFERENCES returns ON DELETE CASCADE);
CREATE INDEX return_lines_return_id ON return_lines (return_id);
