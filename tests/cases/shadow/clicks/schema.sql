-- hot: web.click
CREATE SCHEMA web;
CREATE TABLE web.click (id uuid NOT NULL, session text NOT NULL, campaign int NOT NULL, at timestamptz NOT NULL, url text NOT NULL);
CREATE INDEX ON web.click (session);
CREATE INDEX ON web.click (campaign, at);
CREATE INDEX ON web.click (id);
