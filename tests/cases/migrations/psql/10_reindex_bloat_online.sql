-- pgstattuple says 60 % of it is air
REINDEX INDEX CONCURRENTLY orders_customer_id_idx;
