CREATE TABLE documents_archive (LIKE documents INCLUDING DEFAULTS);
DO $$
DECLARE
    moved int;
BEGIN
    LOOP
        WITH gone AS (
            DELETE FROM documents WHERE id IN (
                SELECT id FROM documents WHERE state = 'archived' ORDER BY id LIMIT 500 FOR UPDATE SKIP LOCKED
            ) RETURNING *
        )
        INSERT INTO documents_archive SELECT * FROM gone;
        GET DIAGNOSTICS moved = ROW_COUNT;
        COMMIT;
        EXIT WHEN moved = 0;
        PERFORM pg_sleep(0.01);
    END LOOP;
END
$$;
