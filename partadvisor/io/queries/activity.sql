SELECT s.relid::int8 AS relation_oid, coalesce(s.seq_scan, 0) AS seq_scan, coalesce(s.idx_scan, 0) AS idx_scan,
  s.n_tup_ins AS inserted, s.n_tup_upd AS updated, s.n_tup_hot_upd AS hot_updated, s.n_tup_del AS deleted,
  s.n_live_tup AS live_rows, s.n_dead_tup AS dead_rows,
  greatest(s.last_analyze, s.last_autoanalyze)::text AS last_analyze, s.last_autovacuum::text AS last_autovacuum
FROM pg_stat_all_tables s
WHERE s.relid = ANY (%(oids)s::int8[]::oid[])
