SET lock_timeout = 0;
REINDEX TABLE CONCURRENTLY orders;
