CREATE TABLE jobs (id bigint PRIMARY KEY, payload text);
