-- hot: public.audit
CREATE TABLE audit (id bigint NOT NULL, actor text NOT NULL, object_type text NOT NULL, object_id int NOT NULL, at timestamp NOT NULL, change text NOT NULL);
CREATE INDEX ON audit (object_type, object_id);
CREATE INDEX ON audit (at);
CREATE INDEX ON audit (actor, at);
