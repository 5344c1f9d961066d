SET lock_timeout = '2s';
REFRESH MATERIALIZED VIEW totals;
