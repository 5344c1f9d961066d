set local lock_timeout = '2s';
alter table orders drop column note;
