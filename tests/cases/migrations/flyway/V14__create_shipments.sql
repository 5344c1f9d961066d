create table shipments (
    id bigint generated always as identity primary key,
    order_id bigint not null,
    carrier text not null,
    tracking text,
    sent_at timestamptz
);
create index idx_shipments_order on shipments (order_id);
create index idx_shipments_sent on shipments (sent_at);
alter table shipments add constraint shipments_tracking_key unique (tracking);
alter table shipments alter column sent_at set not null;
insert into shipments (order_id, carrier, sent_at) select id, 'post', shipped_at from orders where shipped_at is not null;
comment on table shipments is 'One row for each parcel';
