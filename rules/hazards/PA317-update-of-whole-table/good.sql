DO $$
DECLARE
  last bigint := NULL;
  upto bigint;
BEGIN
  LOOP
    SELECT max(id) INTO upto FROM (SELECT id FROM orders WHERE last IS NULL OR id > last ORDER BY id LIMIT 50) batch;
    EXIT WHEN upto IS NULL;
    UPDATE orders SET status = 'open' WHERE (last IS NULL OR id > last) AND id <= upto;
    COMMIT;
    last := upto;
  END LOOP;
END
$$;
