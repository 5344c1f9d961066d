-- partadvisor: ignore PA101 because the table was empty then
CREATE TABLE colours (id int PRIMARY KEY, name text NOT NULL);
