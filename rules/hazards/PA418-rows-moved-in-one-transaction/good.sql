-- a few rows in each transaction
SET lock_timeout = '2s';
WITH moved AS (DELETE FROM bin WHERE id IN (SELECT id FROM bin ORDER BY id LIMIT 20) RETURNING *)
INSERT INTO bin_old SELECT * FROM moved;
WITH moved AS (DELETE FROM bin WHERE id IN (SELECT id FROM bin ORDER BY id LIMIT 20) RETURNING *)
INSERT INTO bin_old SELECT * FROM moved;
