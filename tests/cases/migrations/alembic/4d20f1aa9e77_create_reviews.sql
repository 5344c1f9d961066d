BEGIN;

-- Running upgrade 3e1b9a20c001 -> 4d20f1aa9e77

CREATE TABLE reviews (
    id BIGSERIAL NOT NULL, 
    product_id INTEGER NOT NULL, 
    stars SMALLINT NOT NULL, 
    body TEXT, 
    PRIMARY KEY (id), 
    FOREIGN KEY(product_id) REFERENCES products (id)
);

UPDATE alembic_version SET version_num='4d20f1aa9e77' WHERE alembic_version.version_num = '3e1b9a20c001';

COMMIT;
