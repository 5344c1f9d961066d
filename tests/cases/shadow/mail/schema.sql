-- hot: public.mail
CREATE TABLE mail (mailbox int NOT NULL, id bigint NOT NULL, folder text NOT NULL, received timestamptz NOT NULL, sender text, seen boolean NOT NULL, PRIMARY KEY (mailbox, id));
CREATE INDEX ON mail (mailbox, folder, received);
CREATE INDEX ON mail (sender);
