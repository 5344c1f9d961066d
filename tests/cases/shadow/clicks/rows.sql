INSERT INTO web.click SELECT md5(i::text)::uuid, 's' || i % 30000, i % 60, timestamptz '2026-01-01 00:00+00' + i * interval '1 min', '/page/' || i % 700 FROM generate_series(1, 130000) i;
