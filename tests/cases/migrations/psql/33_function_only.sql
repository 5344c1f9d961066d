CREATE OR REPLACE FUNCTION order_age(placed timestamptz) RETURNS interval LANGUAGE sql STABLE AS $$
    SELECT now() - placed;
$$;
CREATE OR REPLACE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- ALTER TABLE orders ADD COLUMN in a comment does nothing
    RETURN NEW;
END
$$;
COMMENT ON FUNCTION touch() IS 'Keeps a row; see the release notes; nothing else.';
