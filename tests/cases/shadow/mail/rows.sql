INSERT INTO mail SELECT i % 600, i, (ARRAY['inbox','inbox','inbox','sent','spam'])[1 + (i / 600) % 5], timestamptz '2026-01-01 00:00+00' + i * interval '1 min',
  CASE WHEN i % 20 = 0 THEN NULL ELSE 'sender' || abs(hashint4(i)) % 4000 END, i % 3 > 0 FROM generate_series(1, 150000) i;
