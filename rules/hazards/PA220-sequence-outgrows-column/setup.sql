CREATE TABLE tickets (id serial PRIMARY KEY, title text);
