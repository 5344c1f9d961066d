INSERT INTO vote SELECT i % 40, i / 40, i % 6, 'region ' || i % 16, timestamptz '2026-01-01 00:00+00' + i * interval '5 s' FROM generate_series(1, 160000) i;
