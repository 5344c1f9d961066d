INSERT INTO score SELECT i % 80, (i * 37) % 12000, timestamptz '2026-01-01 00:00+00' + i * interval '40 s', (random() * 100000)::int FROM generate_series(1, 160000) i;
