SET lock_timeout = '2s';
ALTER TABLE orders ADD COLUMN token double precision;
ALTER TABLE orders ALTER COLUMN token SET DEFAULT random();
ALTER TABLE orders ADD COLUMN seen_at timestamptz DEFAULT now();
