SELECT version() AS banner, current_setting('server_version') AS version,
  current_setting('server_version_num')::int AS version_num,
  current_database()::text AS database, pg_encoding_to_char(d.encoding)::text AS encoding,
  d.oid::int8 AS database_oid, pg_is_in_recovery() AS in_recovery, pg_backend_pid() AS pid,
  host(inet_server_addr()) AS address, inet_server_port() AS port,
  current_user::text AS user, r.rolsuper AS user_is_superuser,
  r.rolsuper OR pg_has_role('pg_read_all_stats', 'USAGE') AS user_can_monitor,
  r.rolsuper OR pg_has_role('pg_read_all_settings', 'USAGE') AS sees_settings
FROM pg_database d, pg_roles r
WHERE d.datname = current_database() AND r.rolname = current_user
