-- hot: public.entry
CREATE TABLE account (id int PRIMARY KEY, holder text NOT NULL);
CREATE TABLE entry (account int NOT NULL REFERENCES account, id bigint NOT NULL, booked date NOT NULL, amount numeric(12,2) NOT NULL, reference uuid NOT NULL, PRIMARY KEY (account, id, booked));
CREATE INDEX ON entry (reference);
CREATE INDEX ON entry (booked);
