INSERT INTO follower SELECT i % 3000, (i * 7919) % 3000 FROM generate_series(1, 30000) i ON CONFLICT DO NOTHING;
INSERT INTO post SELECT i, floor(3000 * random() * random())::int, timestamptz '2026-01-01 00:00+00' + i * interval '2 min', repeat('word ', 12), 0 FROM generate_series(1, 120000) i;
