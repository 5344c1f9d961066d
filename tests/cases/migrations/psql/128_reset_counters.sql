-- start the season from zero
TRUNCATE TABLE alarms RESTART IDENTITY;
SELECT setval('alarms_id_seq', 1, false);
