-- 16 and 17 count blocks, 18 counts operations and bytes
SELECT sum(extends)::int8 AS extend_ops, sum(extend_time)::float8 AS extend_ms,
  sum(extend_bytes)::int8 AS extend_bytes, -- 18+
  NULL::int8 AS extend_bytes, -- <18
  sum(reads)::int8 AS reads, sum(read_time)::float8 AS read_ms,
  sum(writes)::int8 AS writes, sum(write_time)::float8 AS write_ms, sum(fsyncs)::int8 AS fsyncs,
  current_setting('track_io_timing') = 'on' AS timed
FROM pg_stat_io WHERE backend_type = 'client backend' AND object = 'relation'
