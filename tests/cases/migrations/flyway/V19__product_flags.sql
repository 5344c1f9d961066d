SET LOCAL lock_timeout = '2s';
ALTER TABLE products
    ADD COLUMN hidden boolean NOT NULL DEFAULT false,
    ADD COLUMN weight_grams int DEFAULT 0,
    ADD COLUMN added_at timestamptz DEFAULT now();
