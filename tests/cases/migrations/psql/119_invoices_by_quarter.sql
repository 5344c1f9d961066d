CREATE TABLE invoices (
    id bigint GENERATED ALWAYS AS IDENTITY,
    issued_on date NOT NULL,
    total numeric(12, 2) NOT NULL,
    PRIMARY KEY (id, issued_on)
) PARTITION BY RANGE (issued_on);
CREATE TABLE invoices_2026_q4 PARTITION OF invoices FOR VALUES FROM ('2026-10-01') TO ('2026-12-31');
CREATE TABLE invoices_2027_q1 PARTITION OF invoices FOR VALUES FROM ('2027-01-01') TO ('2027-03-31');
CREATE INDEX ON invoices (issued_on);
