set local lock_timeout = '2s';
alter table orders rename column total to total_amount;
