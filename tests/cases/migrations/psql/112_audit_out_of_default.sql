-- December has piled up in the DEFAULT partition
SET lock_timeout = '2s';
CREATE TABLE audit_2026_12 (LIKE audit INCLUDING ALL);
WITH moved AS (
    DELETE FROM audit_default
    WHERE at >= '2026-12-01 00:00+00' AND at < '2027-01-01 00:00+00'
    RETURNING *
)
INSERT INTO audit_2026_12 SELECT * FROM moved;
ALTER TABLE audit ATTACH PARTITION audit_2026_12
    FOR VALUES FROM ('2026-12-01 00:00+00') TO ('2027-01-01 00:00+00');
