-- Reason: query units bought with rechargeApiKey: signed bytes are kept before they are broadcast.

CREATE TABLE recharges (
    id           bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    public_id    text    NOT NULL UNIQUE,
    key_id       bigint  NOT NULL REFERENCES api_keys,
    units        bigint  NOT NULL CHECK (units > 0), -- query units
    network      text    NOT NULL,
    contract     text    NOT NULL,
    symbol       text    NOT NULL,
    decimals     bigint  NOT NULL,
    token        text    NOT NULL,
    wallet       text    NOT NULL,
    treasury     text    NOT NULL,
    amount       text    NOT NULL, -- base units of the token
    tx_hash      text    NOT NULL UNIQUE,
    raw          bytea   NOT NULL, -- the signed bytes
    nonce        bigint  NOT NULL,
    state        text    NOT NULL CHECK (state IN ('SIGNED', 'CREDITED', 'FAILED', 'REPLACED', 'ABANDONED')),
    note         text    NOT NULL,
    block_number bigint  NOT NULL,
    block_hash   text    NOT NULL,
    block_time   timestamptz,
    created_at   timestamptz NOT NULL,
    sent_at      timestamptz,
    look_at      timestamptz,          -- NULL: never again
    ended_at     timestamptz,
    CHECK ((state = 'SIGNED') = (ended_at IS NULL))
);
-- One on its way per wallet: so the chain's own count is the next nonce.
CREATE UNIQUE INDEX recharges_signed ON recharges (wallet) WHERE state = 'SIGNED';
CREATE INDEX recharges_due ON recharges (look_at) WHERE look_at IS NOT NULL;
CREATE INDEX recharges_by_key ON recharges (key_id, id);
