INSERT INTO room SELECT i, 'room ' || i FROM generate_series(1, 800) i;
INSERT INTO message SELECT 1 + floor(800 * power(random(), 3))::int, i, i % 2500, timestamptz '2026-02-01 00:00+00' + i * interval '10 s', repeat('hello ', 8) FROM generate_series(1, 140000) i;
