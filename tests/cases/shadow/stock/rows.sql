INSERT INTO article SELECT i, i % 25 FROM generate_series(1, 3000) i;
INSERT INTO movement SELECT i % 16, 1 + abs(hashint4(i)) % 3000, i, timestamp '2026-01-01' + i * interval '1 min', 1 FROM generate_series(1, 150000) i;
