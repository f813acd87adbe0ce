-- Reason: a request that replaced an API key is answered again when it is repeated, though the key it carries has failed since.

CREATE TABLE retired_keys (
    hash       bytea       PRIMARY KEY CHECK (octet_length(hash) = 32), -- of the old key
    key_id     bigint      NOT NULL REFERENCES api_keys,
    retired_at timestamptz NOT NULL
);
CREATE INDEX retired_keys_by_age ON retired_keys (retired_at);
