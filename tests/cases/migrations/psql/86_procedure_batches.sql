CREATE PROCEDURE purge_jobs(batch int) LANGUAGE plpgsql AS $$
DECLARE
    gone int;
BEGIN
    LOOP
        DELETE FROM jobs WHERE id IN (SELECT id FROM jobs WHERE run_at < now() - interval '30 days' LIMIT batch);
        GET DIAGNOSTICS gone = ROW_COUNT;
        COMMIT;
        EXIT WHEN gone < batch;
    END LOOP;
END
$$;
CALL purge_jobs(1000);
DROP PROCEDURE purge_jobs(int);
