CREATE OR REPLACE FUNCTION orders_search() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
    NEW.note := coalesce(NEW.note, '');  -- ; not an end
    RETURN NEW;
END
$body$;
CREATE TRIGGER orders_search BEFORE INSERT OR UPDATE ON orders
    FOR EACH ROW EXECUTE FUNCTION orders_search();
