CREATE TABLE loyalty_accounts (
    customer_id bigint PRIMARY KEY,
    points bigint NOT NULL DEFAULT 0 CHECK (points >= 0)
);
CREATE TABLE loyalty_movements (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    customer_id bigint NOT NULL REFERENCES loyalty_accounts ON DELETE CASCADE,
    points int NOT NULL,
    at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX ON loyalty_movements (customer_id);
CREATE FUNCTION loyalty_apply() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE loyalty_accounts SET points = points + NEW.points WHERE customer_id = NEW.customer_id;
    RETURN NULL;
END
$$;
CREATE TRIGGER loyalty_apply AFTER INSERT ON loyalty_movements FOR EACH ROW EXECUTE FUNCTION loyalty_apply();
