-- Reason: query units bought with rechargeApiKey: signed bytes are kept before they are broadcast.

CREATE TABLE recharges (
    id           INTEGER PRIMARY KEY,
    public_id    TEXT    NOT NULL UNIQUE,
    key_id       INTEGER NOT NULL REFERENCES api_keys,
    units        INTEGER NOT NULL CHECK (units > 0), -- query units
    network      TEXT    NOT NULL,
    contract     TEXT    NOT NULL,
    symbol       TEXT    NOT NULL,
    decimals     INTEGER NOT NULL,
    token        TEXT    NOT NULL,
    wallet       TEXT    NOT NULL,
    treasury     TEXT    NOT NULL,
    amount       TEXT    NOT NULL, -- base units of the token
    tx_hash      TEXT    NOT NULL UNIQUE,
    raw          BLOB    NOT NULL, -- the signed bytes
    nonce        INTEGER NOT NULL,
    state        TEXT    NOT NULL CHECK (state IN ('SIGNED', 'CREDITED', 'FAILED', 'REPLACED', 'ABANDONED')),
    note         TEXT    NOT NULL,
    block_number INTEGER NOT NULL,
    block_hash   TEXT    NOT NULL,
    block_time   INTEGER,
    created_at   INTEGER NOT NULL,
    sent_at      INTEGER,
    look_at      INTEGER,          -- NULL: never again
    ended_at     INTEGER,
    CHECK ((state = 'SIGNED') = (ended_at IS NULL))
) STRICT;
-- One on its way per wallet: so the chain's own count is the next nonce.
CREATE UNIQUE INDEX recharges_signed ON recharges (wallet) WHERE state = 'SIGNED';
CREATE INDEX recharges_due ON recharges (look_at) WHERE look_at IS NOT NULL;
CREATE INDEX recharges_by_key ON recharges (key_id, id);
