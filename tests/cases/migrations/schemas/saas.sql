-- Tenants, users and their documents; roles of an application and of its administrators.
CREATE TABLE tenants (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL, plan text NOT NULL DEFAULT 'free');
CREATE TABLE users (
    id bigserial PRIMARY KEY,
    tenant_id int NOT NULL REFERENCES tenants (id),
    email text NOT NULL,
    active boolean DEFAULT true,
    last_seen timestamp,
    settings json
);
CREATE INDEX users_tenant_id_idx ON users (tenant_id);
CREATE TABLE documents (
    id bigserial PRIMARY KEY,
    tenant_id int NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    owner_id bigint,
    title varchar(100) NOT NULL,
    body text,
    state text,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX documents_tenant_id_idx ON documents (tenant_id);
CREATE INDEX documents_created_at_idx ON documents (created_at);
CREATE TABLE invitations (id serial PRIMARY KEY, tenant_id int NOT NULL, email text NOT NULL, sent_at timestamptz);
CREATE TABLE jobs (id bigserial PRIMARY KEY, queue text NOT NULL, payload jsonb NOT NULL, run_at timestamptz NOT NULL,
    locked_by text);
CREATE TABLE feature_flags (name text PRIMARY KEY, enabled boolean NOT NULL DEFAULT false);

INSERT INTO tenants (name) SELECT 'tenant ' || i FROM generate_series(1, 20) i;
INSERT INTO users (tenant_id, email) SELECT 1 + i % 20, 'u' || i || '@example.org' FROM generate_series(1, 300) i;
INSERT INTO documents (tenant_id, owner_id, title, state)
    SELECT 1 + i % 20, 1 + i % 300, 'doc ' || i, 'draft' FROM generate_series(1, 600) i;
INSERT INTO invitations (tenant_id, email) SELECT 1 + i % 20, 'i' || i || '@example.org' FROM generate_series(1, 40) i;
INSERT INTO jobs (queue, payload, run_at) SELECT 'mail', '{}', now() FROM generate_series(1, 100) i;
INSERT INTO feature_flags VALUES ('new_editor', false);
