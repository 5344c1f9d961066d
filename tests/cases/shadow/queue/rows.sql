INSERT INTO job SELECT i, 'queue ' || i % 12, CASE WHEN i > 99000 THEN 'ready' ELSE 'done' END, timestamptz '2026-01-01 00:00+00' + i * interval '20 s', 0, 'body' FROM generate_series(1, 100000) i;
