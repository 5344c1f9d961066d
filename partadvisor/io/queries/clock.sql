SELECT extract(epoch FROM clock_timestamp())::float8 AS at, clock_timestamp()::text AS text,
  pg_snapshot_xmin(pg_current_snapshot())::text::int8 AS oldest_xid
