-- all rows stay locked until the last of them has arrived
SET lock_timeout = '2s';
WITH moved AS (DELETE FROM bin RETURNING *)
INSERT INTO bin_old SELECT * FROM moved;
