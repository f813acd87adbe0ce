-- Reason: settlement: what is on its way to the merchants' wallets, what it cost, and how far each deposit address is.

CREATE TABLE sweeps (
    id           bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    public_id    text        NOT NULL UNIQUE,
    network      text        NOT NULL,
    state        text        NOT NULL CHECK (state IN ('PLANNED', 'SIGNED', 'SENT', 'CONFIRMED', 'FAILED', 'SUPERSEDED')),
    created_at   timestamptz NOT NULL,
    ended_at     timestamptz,
    tx_hash      text        NOT NULL, -- that landed; empty: none
    block_number bigint      NOT NULL,
    block_hash   text        NOT NULL,
    block_time   timestamptz,
    paid         text        NOT NULL, -- native coin's smallest unit
    moved        bigint      NOT NULL, -- pots it moved
    note         text        NOT NULL,
    CHECK ((state IN ('CONFIRMED', 'FAILED', 'SUPERSEDED')) = (ended_at IS NOT NULL))
);
-- One sweep in flight per network: that makes the chain's own count the next nonce.
CREATE UNIQUE INDEX sweeps_in_flight ON sweeps (network) WHERE ended_at IS NULL;
CREATE INDEX sweeps_ended ON sweeps (network, ended_at) WHERE ended_at IS NOT NULL;

CREATE TABLE sweep_items (
    id         bigint  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    sweep_id   bigint  NOT NULL REFERENCES sweeps,
    payment_id bigint  NOT NULL REFERENCES payments,
    address    text    NOT NULL,
    raw        bytea   NOT NULL,
    settlement text    NOT NULL,
    contract   text    NOT NULL, -- empty: the native coin
    symbol     text    NOT NULL,
    decimals   bigint  NOT NULL,
    token      text    NOT NULL,
    expected   text    NOT NULL,
    rescue     boolean NOT NULL,
    moved      text,             -- NULL: nothing
    reason     text    NOT NULL, -- why it could not be moved
    UNIQUE (sweep_id, address, contract)
);
CREATE INDEX sweep_items_by_payment ON sweep_items (payment_id);

CREATE TABLE sweep_attempts (
    sweep_id     bigint      NOT NULL REFERENCES sweeps,
    n            bigint      NOT NULL CHECK (n > 0),
    tx_hash      text        NOT NULL UNIQUE,
    raw          bytea       NOT NULL, -- the signed bytes
    nonce        bigint      NOT NULL,
    valid_until  bigint      NOT NULL,
    gas          bigint      NOT NULL,
    price        text        NOT NULL,
    tip          text        NOT NULL,
    ceiling      text        NOT NULL,
    made_at      timestamptz NOT NULL,
    sent_at      timestamptz,
    PRIMARY KEY (sweep_id, n)
);

-- What sweeps have done to one address in one asset.
CREATE TABLE pots (
    network       text        NOT NULL,
    address       text        NOT NULL,
    contract      text        NOT NULL,
    payment_id    bigint      NOT NULL REFERENCES payments,
    moved         text        NOT NULL, -- all that left the address
    marked        text        NOT NULL, -- of which deposits are marked as swept
    found         text        NOT NULL, -- of which was moved by hand and is no deposit
    through       bigint      NOT NULL, -- block of the last sweep that moved it
    ahead         boolean     NOT NULL, -- moved is more than marked
    failures      bigint      NOT NULL,
    blocked_until timestamptz,
    reason        text        NOT NULL,
    PRIMARY KEY (network, address, contract)
);
CREATE INDEX pots_ahead ON pots (network) WHERE ahead;

CREATE INDEX deposits_to_sweep ON deposits (network, final_at) WHERE swept_at IS NULL AND state = 'FINAL';
