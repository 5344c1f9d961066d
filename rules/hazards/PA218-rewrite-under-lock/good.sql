VACUUM (ANALYZE) payments;
