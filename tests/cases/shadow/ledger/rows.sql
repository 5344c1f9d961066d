INSERT INTO account SELECT i, 'holder ' || i FROM generate_series(1, 4000) i;
INSERT INTO entry SELECT 1 + (i * 31) % 4000, i, date '2025-01-01' + i / 400, 1, md5(i::text)::uuid FROM generate_series(1, 160000) i;
