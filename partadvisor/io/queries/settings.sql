SELECT s.name, current_setting(s.name) AS setting
FROM pg_settings s
WHERE s.name = ANY (%(names)s)
ORDER BY s.name
