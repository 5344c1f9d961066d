VACUUM (ANALYZE) payments;
VACUUM (ANALYZE) orders;
