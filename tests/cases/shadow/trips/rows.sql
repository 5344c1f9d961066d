INSERT INTO vehicle SELECT i, i % 20 FROM generate_series(1, 400) i;
INSERT INTO position SELECT 1 + i % 400, (i / 400) / 20 * 400 + i % 400, timestamptz '2026-01-01 00:00+00' + (i / 400) * interval '20 min', 48, 11 FROM generate_series(0, 159999) i;
