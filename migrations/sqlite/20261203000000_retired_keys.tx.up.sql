-- Reason: a request that replaced an API key is answered again when it is repeated, though the key it carries has failed since.

CREATE TABLE retired_keys (
    hash       BLOB    PRIMARY KEY CHECK (length(hash) = 32), -- of the old key
    key_id     INTEGER NOT NULL REFERENCES api_keys,
    retired_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX retired_keys_by_age ON retired_keys (retired_at);
