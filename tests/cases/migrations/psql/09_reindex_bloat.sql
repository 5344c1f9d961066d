-- pgstattuple says 60 % of it is air
SET lock_timeout = '2s';
REINDEX INDEX orders_customer_id_idx;
