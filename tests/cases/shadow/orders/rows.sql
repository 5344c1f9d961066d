INSERT INTO product SELECT i, 'product ' || i, 1 + i % 90 FROM generate_series(1, 2000) i;
INSERT INTO orders SELECT i % 20, i / 20, i % 3000, timestamptz '2026-01-01 00:00+00' + i * interval '3 min' FROM generate_series(0, 39999) i;
INSERT INTO order_line SELECT i % 20, i / 20, n, 1 + abs(hashint4(i * 5 + n)) % 2000, 1 + i % 5, 10, date '2026-01-01' + i / 480
  FROM generate_series(0, 39999) i, generate_series(1, 5) n;
