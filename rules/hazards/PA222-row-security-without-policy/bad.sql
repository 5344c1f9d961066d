SET lock_timeout = '2s';
ALTER TABLE customers ENABLE ROW LEVEL SECURITY;
