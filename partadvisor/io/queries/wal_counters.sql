SELECT w.wal_records AS records, w.wal_fpi AS full_page_images, w.wal_bytes::int8 AS bytes,
  w.wal_buffers_full AS buffers_full,
  w.wal_sync AS syncs, w.wal_sync_time AS sync_ms, w.wal_write_time AS write_ms, -- <18
  i.syncs, i.sync_ms, i.write_ms, -- 18+
  current_setting('track_wal_io_timing') = 'on' AS timed
FROM pg_stat_wal w
CROSS JOIN (SELECT sum(fsyncs)::int8 AS syncs, sum(fsync_time)::float8 AS sync_ms, sum(write_time)::float8 AS write_ms -- 18+
  FROM pg_stat_io WHERE object = 'wal') i -- 18+
