CREATE OR REPLACE VIEW revenue_by_country AS
SELECT c.country, sum(o.total) AS revenue
FROM orders o JOIN customers c ON c.id = o.customer_id
GROUP BY c.country;
GRANT SELECT ON revenue_by_country TO shop_report;
