INSERT INTO metric SELECT 'host' || i % 120, 'metric' || (i / 120) % 15, timestamptz '2026-03-01 00:00+00' + (i / 1800) * interval '10 min', random() FROM generate_series(0, 179999) i;
