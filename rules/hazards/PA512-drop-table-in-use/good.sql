SET lock_timeout = '2s';
CREATE TABLE payments_next (LIKE payments);
DROP TABLE payments_next;
