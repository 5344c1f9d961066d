INSERT INTO plan SELECT 'plan ' || i, i FROM generate_series(0, 5) i;
INSERT INTO usage SELECT i % 900, date '2026-01-01' + (i / 900) % 60, i / 54000, 'plan ' || (i % 900) % 6, 3 FROM generate_series(0, 161999) i;
