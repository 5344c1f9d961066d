CREATE VIEW doc_list AS SELECT id, created, body FROM doc;
