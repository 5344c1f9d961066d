-- text that looks like DDL is not DDL
INSERT INTO coupons VALUES ('ALTER', 5, NULL), ('x; DROP TABLE orders; --', 1, NULL);
UPDATE coupons SET percent = 15 WHERE code = 'CREATE INDEX i ON orders (id);';
COMMENT ON TABLE coupons IS $doc$REINDEX TABLE coupons; VACUUM FULL coupons;$doc$;
SELECT 'LOCK TABLE orders' AS "TRUNCATE orders";
