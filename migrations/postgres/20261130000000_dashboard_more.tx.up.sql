-- Reason: logos that merchants upload. One a custodian; the address of each holds the hash of its content.

CREATE TABLE logos (
    custodian_id bigint PRIMARY KEY REFERENCES custodians,
    hash         text NOT NULL CHECK (length(hash) = 64),
    kind         text NOT NULL CHECK (kind IN ('png', 'jpg')),
    picture      bytea NOT NULL CHECK (octet_length(picture) BETWEEN 1 AND 500000),
    created_at   timestamptz NOT NULL
);
CREATE INDEX logos_by_hash ON logos (hash);
