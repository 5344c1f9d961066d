SET lock_timeout = '2s';
ALTER TABLE customers ADD COLUMN region text;
RESET lock_timeout;
DO $$
DECLARE
    last bigint := 0;
    upto bigint;
BEGIN
    LOOP
        SELECT max(id) INTO upto FROM (SELECT id FROM customers WHERE id > last ORDER BY id LIMIT 1000) batch;
        EXIT WHEN upto IS NULL;
        UPDATE customers SET region = 'EU' WHERE id > last AND id <= upto;
        COMMIT;
        last := upto;
    END LOOP;
END
$$;
