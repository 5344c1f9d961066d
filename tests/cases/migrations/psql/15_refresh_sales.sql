SET lock_timeout = '2s';
REFRESH MATERIALIZED VIEW daily_sales;
