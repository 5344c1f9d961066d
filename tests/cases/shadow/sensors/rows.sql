INSERT INTO sensor SELECT i, i % 40 FROM generate_series(1, 1000) i;
INSERT INTO reading SELECT 1 + i % 1000, timestamptz '2026-01-01 00:00+00' + (i / 1000) * interval '30 min', random() FROM generate_series(0, 199999) i;
