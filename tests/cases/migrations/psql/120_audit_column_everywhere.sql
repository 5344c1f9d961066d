begin;
set local lock_timeout to '3s';
alter table tenants add column created_by text;
alter table users add column created_by text;
alter table documents add column created_by text;
commit;
