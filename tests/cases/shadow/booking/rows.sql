INSERT INTO hotel SELECT i, 'city ' || i % 30 FROM generate_series(1, 150) i;
INSERT INTO booking SELECT 1 + i % 150, (i / 150) % 12, date '2026-01-01' + i / 1800, abs(hashint4(i)) % 20000, CASE WHEN i % 10 = 0 THEN 'X' ELSE 'B' END FROM generate_series(0, 143999) i;
