CREATE TABLE doc_note (doc_id bigint, doc_created date, note text,
  CONSTRAINT doc_note_doc FOREIGN KEY (doc_id, doc_created) REFERENCES doc);
