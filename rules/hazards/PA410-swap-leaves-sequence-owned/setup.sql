ALTER SEQUENCE doc_number OWNED BY doc.id;
