INSERT INTO ticket SELECT i, i % 60 FROM generate_series(1, 12000) i;
INSERT INTO comment SELECT 1 + (i * 7) % 12000, i, i % 700, timestamptz '2025-09-01 00:00+00' + i * interval '2 min', i % 9 = 0, repeat('text ', 10) FROM generate_series(1, 120000) i;
