-- Deploy saas:outbox to pg

BEGIN;

CREATE TABLE outbox (
    id bigint GENERATED ALWAYS AS IDENTITY,
    topic text NOT NULL,
    body jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (id, topic)
) PARTITION BY LIST (topic);
CREATE TABLE outbox_mail PARTITION OF outbox FOR VALUES IN ('mail');
CREATE TABLE outbox_other PARTITION OF outbox DEFAULT;
CREATE INDEX outbox_created_at ON outbox (created_at);
ALTER TABLE outbox OWNER TO CURRENT_USER;

COMMIT;
