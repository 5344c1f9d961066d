-- name: new document
-- calls: 300 per second
INSERT INTO app.document (tenant, id, owner, status, changed, title) VALUES ($1, $2, $3, $4, $5, $6);

-- name: documents of an owner
-- calls: 150 per second
SELECT id, title FROM app.document WHERE tenant = $1 AND owner = $2 ORDER BY id;

-- name: one document
-- calls: 500 per second
SELECT * FROM app.document WHERE tenant = $1 AND id = $2;

-- name: tenant overview
-- calls: 5 per second
SELECT t.name, d.status, count(*) FROM app.tenant t JOIN app.document d ON d.tenant = t.id WHERE t.id = $1 GROUP BY t.name, d.status;

-- name: changed lately
-- calls: 10 per second
SELECT id, tenant FROM app.document WHERE changed >= $1 ORDER BY changed LIMIT $2;

-- name: close
-- calls: 40 per second
UPDATE app.document SET status = $3 WHERE tenant = $1 AND id = $2;
