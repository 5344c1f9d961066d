CREATE MATERIALIZED VIEW totals AS SELECT customer_id, sum(total) AS total FROM orders GROUP BY customer_id;
CREATE UNIQUE INDEX totals_customer_id ON totals (customer_id);
