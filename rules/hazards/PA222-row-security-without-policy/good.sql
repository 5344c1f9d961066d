SET lock_timeout = '2s';
CREATE POLICY of_region ON customers TO app USING (region = 'eu');
ALTER TABLE customers ENABLE ROW LEVEL SECURITY;
