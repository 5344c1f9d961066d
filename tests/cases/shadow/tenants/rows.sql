INSERT INTO app.tenant SELECT i, 'tenant ' || i FROM generate_series(1, 200) i;
INSERT INTO app.document SELECT 1 + floor(200 * power(random(), 2))::int, i, i % 5000, (ARRAY['draft','open','closed'])[1 + i % 3],
  timestamptz '2025-01-01 00:00+00' + i * interval '4 min', 'document ' || i FROM generate_series(1, 120000) i;
