CREATE TABLE invoices (id bigint PRIMARY KEY);
CREATE TABLE invoice_lines (invoice_id bigint NOT NULL REFERENCES invoices, line int, PRIMARY KEY (invoice_id, line));
