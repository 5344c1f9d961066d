SET statement_timeout = '5s';
CREATE INDEX CONCURRENTLY payments_paid_at_idx ON payments (paid_at);
