CREATE MATERIALIZED VIEW sales_by_product AS
    SELECT product_id, sum(quantity) AS sold FROM order_lines GROUP BY product_id;
CREATE UNIQUE INDEX ON sales_by_product (product_id);
REFRESH MATERIALIZED VIEW sales_by_product;
ANALYZE sales_by_product;
