-- Reason: settlement: what is on its way to the merchants' wallets, what it cost, and how far each deposit address is.

CREATE TABLE sweeps (
    id           INTEGER PRIMARY KEY,
    public_id    TEXT    NOT NULL UNIQUE,
    network      TEXT    NOT NULL,
    state        TEXT    NOT NULL CHECK (state IN ('PLANNED', 'SIGNED', 'SENT', 'CONFIRMED', 'FAILED', 'SUPERSEDED')),
    created_at   INTEGER NOT NULL,
    ended_at     INTEGER,
    tx_hash      TEXT    NOT NULL, -- that landed; empty: none
    block_number INTEGER NOT NULL,
    block_hash   TEXT    NOT NULL,
    block_time   INTEGER,
    paid         TEXT    NOT NULL, -- native coin's smallest unit
    moved        INTEGER NOT NULL, -- pots it moved
    note         TEXT    NOT NULL,
    CHECK ((state IN ('CONFIRMED', 'FAILED', 'SUPERSEDED')) = (ended_at IS NOT NULL))
) STRICT;
-- One sweep in flight per network: that makes the chain's own count the next nonce.
CREATE UNIQUE INDEX sweeps_in_flight ON sweeps (network) WHERE ended_at IS NULL;
CREATE INDEX sweeps_ended ON sweeps (network, ended_at) WHERE ended_at IS NOT NULL;

CREATE TABLE sweep_items (
    id         INTEGER PRIMARY KEY,
    sweep_id   INTEGER NOT NULL REFERENCES sweeps,
    payment_id INTEGER NOT NULL REFERENCES payments,
    address    TEXT    NOT NULL,
    raw        BLOB    NOT NULL,
    settlement TEXT    NOT NULL,
    contract   TEXT    NOT NULL, -- empty: the native coin
    symbol     TEXT    NOT NULL,
    decimals   INTEGER NOT NULL,
    token      TEXT    NOT NULL,
    expected   TEXT    NOT NULL,
    rescue     INTEGER NOT NULL,
    moved      TEXT,             -- NULL: nothing
    reason     TEXT    NOT NULL, -- why it could not be moved
    UNIQUE (sweep_id, address, contract)
) STRICT;
CREATE INDEX sweep_items_by_payment ON sweep_items (payment_id);

CREATE TABLE sweep_attempts (
    sweep_id     INTEGER NOT NULL REFERENCES sweeps,
    n            INTEGER NOT NULL CHECK (n > 0),
    tx_hash      TEXT    NOT NULL UNIQUE,
    raw          BLOB    NOT NULL, -- the signed bytes
    nonce        INTEGER NOT NULL,
    valid_until  INTEGER NOT NULL,
    gas          INTEGER NOT NULL,
    price        TEXT    NOT NULL,
    tip          TEXT    NOT NULL,
    ceiling      TEXT    NOT NULL,
    made_at      INTEGER NOT NULL,
    sent_at      INTEGER,
    PRIMARY KEY (sweep_id, n)
) STRICT, WITHOUT ROWID;

-- What sweeps have done to one address in one asset.
CREATE TABLE pots (
    network       TEXT    NOT NULL,
    address       TEXT    NOT NULL,
    contract      TEXT    NOT NULL,
    payment_id    INTEGER NOT NULL REFERENCES payments,
    moved         TEXT    NOT NULL, -- all that left the address
    marked        TEXT    NOT NULL, -- of which deposits are marked as swept
    found         TEXT    NOT NULL, -- of which was moved by hand and is no deposit
    through       INTEGER NOT NULL, -- block of the last sweep that moved it
    ahead         INTEGER NOT NULL, -- moved is more than marked
    failures      INTEGER NOT NULL,
    blocked_until INTEGER,
    reason        TEXT    NOT NULL,
    PRIMARY KEY (network, address, contract)
) STRICT, WITHOUT ROWID;
CREATE INDEX pots_ahead ON pots (network) WHERE ahead;

CREATE INDEX deposits_to_sweep ON deposits (network, final_at) WHERE swept_at IS NULL AND state = 'FINAL';
