SET lock_timeout = 0;
CREATE INDEX CONCURRENTLY orders_note ON orders (note);
