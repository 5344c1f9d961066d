-- hot: app.document
CREATE SCHEMA app;
CREATE TABLE app.tenant (id int PRIMARY KEY, name text NOT NULL);
CREATE TABLE app.document (
  tenant int NOT NULL REFERENCES app.tenant, id bigint NOT NULL, owner int NOT NULL, status text NOT NULL,
  changed timestamptz NOT NULL, title text NOT NULL, PRIMARY KEY (tenant, id));
CREATE INDEX ON app.document (tenant, owner);
CREATE INDEX ON app.document (changed);
