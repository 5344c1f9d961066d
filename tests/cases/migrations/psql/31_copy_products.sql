-- new season, from the supplier's sheet
BEGIN;
CREATE TEMP TABLE incoming (sku varchar(40), title text, price numeric(12, 2)) ON COMMIT DROP;
COPY incoming (sku, title, price) FROM stdin;
SKU-900	Rain coat; yellow	59.90
SKU-901	"Hat" -- wool	24.00
SKU-902	DROP TABLE boots;	1.00
\.
INSERT INTO products (sku, title, price) SELECT sku, title, price FROM incoming;
COMMIT;
