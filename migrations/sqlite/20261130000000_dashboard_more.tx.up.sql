-- Reason: logos that merchants upload. One a custodian; the address of each holds the hash of its content.

CREATE TABLE logos (
    custodian_id INTEGER PRIMARY KEY REFERENCES custodians,
    hash         TEXT NOT NULL CHECK (length(hash) = 64),
    kind         TEXT NOT NULL CHECK (kind IN ('png', 'jpg')),
    picture      BLOB NOT NULL CHECK (length(picture) BETWEEN 1 AND 500000),
    created_at   INTEGER NOT NULL
) STRICT;
CREATE INDEX logos_by_hash ON logos (hash);
