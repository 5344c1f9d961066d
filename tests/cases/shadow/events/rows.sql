INSERT INTO event SELECT i, i % 500, (ARRAY['start','stop','tick','error'])[1 + i % 4], timestamptz '2026-01-01 00:00+00' + i * interval '90 s', repeat('x', 40)
  FROM generate_series(1, 150000) i;
