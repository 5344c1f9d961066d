INSERT INTO parcel SELECT i, i % 6000 FROM generate_series(1, 40000) i;
INSERT INTO scan SELECT 1 + i % 40000, (i * 11) % 90, timestamptz '2026-01-01 00:00+00' + i * interval '30 s', i / 40000 FROM generate_series(0, 159999) i;
