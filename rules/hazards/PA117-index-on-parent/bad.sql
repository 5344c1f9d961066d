-- SHARE on orders and every partition from the first partition's build to the last one's
SET lock_timeout = '2s';
CREATE INDEX orders_note ON orders (note);
