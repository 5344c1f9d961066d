-- hot: public.usage
CREATE TABLE plan (code text PRIMARY KEY, price numeric NOT NULL);
CREATE TABLE usage (customer int NOT NULL, day date NOT NULL, meter int NOT NULL, plan text NOT NULL, units numeric NOT NULL, PRIMARY KEY (customer, day, meter));
CREATE INDEX ON usage (day);
CREATE INDEX ON usage (plan, day);
