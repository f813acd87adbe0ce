-- Reason: everything the first version keeps: owners, keys, custodians, the book of credits, payments and the outbox.

-- The installation itself. id goes into every deposit address. key_check tells a wrong FLORIN_SECRET_KEY at start.
-- server and routes.xact are for PostgreSQL.
CREATE TABLE instance (
    only_row  INTEGER PRIMARY KEY CHECK (only_row = 1),
    id        BLOB    NOT NULL CHECK (length(id) = 16),
    key_check TEXT    NOT NULL,
    server    TEXT    NOT NULL
) STRICT;

CREATE TABLE users (
    id            INTEGER PRIMARY KEY,
    public_id     TEXT    NOT NULL UNIQUE,
    email         TEXT    NOT NULL UNIQUE, -- lower case
    first_name    TEXT    NOT NULL,
    last_name     TEXT    NOT NULL,
    password_hash TEXT    NOT NULL,
    operator      INTEGER NOT NULL,
    created_at    INTEGER NOT NULL
) STRICT;

CREATE TABLE sessions (
    token      BLOB    PRIMARY KEY CHECK (length(token) = 32),
    user_id    INTEGER NOT NULL REFERENCES users,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    revoked_at INTEGER,
    user_agent TEXT    NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_by_user ON sessions (user_id);
CREATE INDEX sessions_by_end ON sessions (expires_at);

CREATE TABLE api_keys (
    id           INTEGER PRIMARY KEY,
    public_id    TEXT    NOT NULL UNIQUE,
    user_id      INTEGER NOT NULL REFERENCES users,
    hash         BLOB    NOT NULL UNIQUE CHECK (length(hash) = 32),
    label        TEXT    NOT NULL,
    wallet       TEXT    NOT NULL,
    created_at   INTEGER NOT NULL,
    last_used_at INTEGER,
    revoked_at   INTEGER
) STRICT;
CREATE INDEX api_keys_by_user ON api_keys (user_id);

-- What the keys have left: the sums of ledger_entries, kept beside them.
CREATE TABLE balances (
    key_id  INTEGER NOT NULL REFERENCES api_keys,
    unit    TEXT    NOT NULL CHECK (unit IN ('credit', 'query')),
    balance INTEGER NOT NULL CHECK (balance >= 0),
    PRIMARY KEY (key_id, unit)
) STRICT, WITHOUT ROWID;

CREATE TABLE ledger_entries (
    id           INTEGER PRIMARY KEY,
    ref          TEXT    NOT NULL,
    unit         TEXT    NOT NULL CHECK (unit IN ('credit', 'query')),
    from_account TEXT    NOT NULL,
    to_account   TEXT    NOT NULL CHECK (to_account <> from_account),
    count        INTEGER NOT NULL CHECK (count > 0),
    reason       TEXT    NOT NULL,
    at           INTEGER NOT NULL,
    UNIQUE (ref, unit)
) STRICT;

CREATE TABLE custodians (
    id               INTEGER PRIMARY KEY,
    public_id        TEXT    NOT NULL UNIQUE,
    key_id           INTEGER NOT NULL UNIQUE REFERENCES api_keys,
    name             TEXT    NOT NULL,
    callback_url     TEXT    NOT NULL,
    lane             INTEGER NOT NULL, -- hash of callback_url: deliveries of one receiver share a lane
    secret           TEXT    NOT NULL, -- sealed
    signing_secrets  TEXT    NOT NULL, -- JSON list of sealed texts, newest first
    tagline          TEXT    NOT NULL,
    logo_url         TEXT    NOT NULL,
    primary_color    TEXT    NOT NULL,
    background_color TEXT    NOT NULL,
    theme            TEXT    NOT NULL,
    support_email    TEXT    NOT NULL,
    website          TEXT    NOT NULL,
    short_basis      INTEGER NOT NULL CHECK (short_basis BETWEEN 0 AND 10000),
    late_for_us      INTEGER NOT NULL CHECK (late_for_us >= 0),
    created_at       INTEGER NOT NULL,
    updated_at       INTEGER NOT NULL
) STRICT;

CREATE TABLE custodian_wallets (
    custodian_id INTEGER NOT NULL REFERENCES custodians,
    network      TEXT    NOT NULL,
    address      TEXT    NOT NULL CHECK (address <> ''),
    PRIMARY KEY (custodian_id, network)
) STRICT, WITHOUT ROWID;

CREATE TABLE custodian_networks (
    custodian_id INTEGER NOT NULL REFERENCES custodians,
    network      TEXT    NOT NULL,
    enabled      INTEGER NOT NULL,
    tokens       TEXT    NOT NULL, -- separated by commas; empty: all
    min_amount   INTEGER NOT NULL CHECK (min_amount >= 0),
    max_amount   INTEGER NOT NULL CHECK (max_amount >= 0),
    finality     TEXT    NOT NULL, -- empty: the network's own
    sweep_min    INTEGER NOT NULL CHECK (sweep_min >= 0),
    PRIMARY KEY (custodian_id, network)
) STRICT, WITHOUT ROWID;

CREATE TABLE payments (
    id             INTEGER PRIMARY KEY AUTOINCREMENT CHECK (id >= 1),
    public_id      TEXT    NOT NULL UNIQUE,
    key_id         INTEGER NOT NULL REFERENCES api_keys,
    kind           TEXT    NOT NULL,
    amount         INTEGER NOT NULL CHECK (amount > 0), -- USD micros
    status         TEXT    NOT NULL CHECK (status IN ('PENDING', 'STARTED', 'COMPLETED', 'EXPIRED', 'CANCELLED')),
    network        TEXT    NOT NULL, -- empty until started
    token          TEXT    NOT NULL,
    created_at     INTEGER NOT NULL,
    expires_at     INTEGER NOT NULL,
    started_at     INTEGER,
    ended_at       INTEGER,
    resumed_at     INTEGER,
    hash           TEXT    NOT NULL,
    extended       INTEGER NOT NULL,
    reorged        INTEGER NOT NULL,
    by_hand        INTEGER NOT NULL,
    short_basis    INTEGER NOT NULL CHECK (short_basis BETWEEN 0 AND 10000),
    late_for_us    INTEGER NOT NULL,
    credits        INTEGER NOT NULL CHECK (credits >= 0),
    campaign_id    INTEGER NOT NULL,
    seq            INTEGER NOT NULL CHECK (seq > 0),
    reference      TEXT    NOT NULL,
    description    TEXT    NOT NULL,
    success_url    TEXT    NOT NULL,
    cancel_url     TEXT    NOT NULL,
    metadata       TEXT    NOT NULL, -- JSON object; empty: none
    customer_email TEXT    NOT NULL,
    donor_name     TEXT    NOT NULL,
    donor_message  TEXT    NOT NULL,
    CHECK ((status IN ('COMPLETED', 'EXPIRED', 'CANCELLED')) = (ended_at IS NOT NULL)),
    CHECK (status <> 'STARTED' OR (started_at IS NOT NULL AND network <> ''))
) STRICT;
-- Lists of a key, newest first; a filter by status or network takes a few ranges of the second and merges them.
CREATE INDEX payments_by_key ON payments (key_id, created_at, id);
CREATE INDEX payments_by_state ON payments (key_id, status, network, created_at, id);
CREATE INDEX payments_open ON payments (expires_at) WHERE ended_at IS NULL;
CREATE INDEX payments_ended ON payments (ended_at) WHERE ended_at IS NOT NULL AND started_at IS NOT NULL;

CREATE TABLE routes (
    id         INTEGER PRIMARY KEY,
    payment_id INTEGER NOT NULL REFERENCES payments,
    network    TEXT    NOT NULL,
    address    TEXT    NOT NULL,
    raw        BLOB    NOT NULL,
    settlement TEXT    NOT NULL,
    tokens     TEXT    NOT NULL, -- separated by commas, in order of choice
    since      INTEGER NOT NULL,
    xact       INTEGER NOT NULL DEFAULT 0, -- the transaction that stored it: see Store.Watches
    UNIQUE (payment_id, network),
    UNIQUE (address, network)
) STRICT;

-- A transfer belongs to one payment. Its key leaves out the block, which a reorg may change.
CREATE TABLE deposits (
    id           INTEGER PRIMARY KEY,
    payment_id   INTEGER NOT NULL REFERENCES payments,
    key_id       INTEGER NOT NULL,
    network      TEXT    NOT NULL,
    tx_hash      TEXT    NOT NULL,
    ordinal      INTEGER NOT NULL,
    contract     TEXT    NOT NULL,
    symbol       TEXT    NOT NULL,
    decimals     INTEGER NOT NULL,
    token        TEXT    NOT NULL,
    from_address TEXT    NOT NULL,
    to_address   TEXT    NOT NULL,
    units        TEXT    NOT NULL, -- whole number of the token's smallest unit
    block_number INTEGER NOT NULL CHECK (block_number >= 0),
    block_hash   TEXT    NOT NULL,
    block_time   INTEGER,
    source       TEXT    NOT NULL,
    state        TEXT    NOT NULL CHECK (state IN ('SEEN', 'FINAL', 'VANISHED')),
    hardened     INTEGER NOT NULL,
    late         INTEGER NOT NULL,
    seen_at      INTEGER NOT NULL,
    final_at     INTEGER,
    swept_at     INTEGER,
    UNIQUE (network, tx_hash, ordinal)
) STRICT;
CREATE INDEX deposits_by_payment ON deposits (payment_id);
CREATE INDEX deposits_unsettled ON deposits (network, payment_id) WHERE NOT hardened AND state <> 'VANISHED';
CREATE INDEX deposits_unswept ON deposits (key_id, payment_id) WHERE swept_at IS NULL AND state <> 'VANISHED';

CREATE TABLE events (
    id         INTEGER PRIMARY KEY,
    payment_id INTEGER NOT NULL REFERENCES payments,
    seq        INTEGER NOT NULL CHECK (seq > 0),
    event_id   TEXT    NOT NULL,
    type       TEXT    NOT NULL,
    at         INTEGER NOT NULL,
    data       TEXT    NOT NULL, -- JSON, byte for byte as it is delivered
    UNIQUE (payment_id, seq)
) STRICT;

-- What GET /events serves: the public events of a key. An event gets its position when it is first asked for, after
-- its transaction has committed; so positions grow in an order that no reader can see broken.
CREATE TABLE feed (
    payment_id INTEGER NOT NULL,
    seq        INTEGER NOT NULL,
    key_id     INTEGER NOT NULL,
    position   INTEGER,
    PRIMARY KEY (payment_id, seq),
    UNIQUE (key_id, position),
    FOREIGN KEY (payment_id, seq) REFERENCES events (payment_id, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX feed_unplaced ON feed (key_id) WHERE position IS NULL;

-- The outbox: one row for each public event of a custodian with a callback URL, written with the event.
CREATE TABLE deliveries (
    id           INTEGER PRIMARY KEY,
    payment_id   INTEGER NOT NULL,
    seq          INTEGER NOT NULL,
    custodian_id INTEGER NOT NULL REFERENCES custodians,
    lane         INTEGER NOT NULL,
    state        TEXT    NOT NULL CHECK (state IN ('WAITING', 'DELIVERED', 'FAILED', 'STOPPED')),
    attempt      INTEGER NOT NULL, -- attempts made
    due_at       INTEGER NOT NULL, -- while it is held: when the hold ends
    holder       TEXT,
    UNIQUE (payment_id, seq),
    FOREIGN KEY (payment_id, seq) REFERENCES events (payment_id, seq)
) STRICT;
CREATE INDEX deliveries_by_lane ON deliveries (lane, due_at) WHERE state = 'WAITING';
CREATE INDEX deliveries_due ON deliveries (due_at) WHERE state = 'WAITING';
CREATE INDEX deliveries_held ON deliveries (lane, due_at) WHERE holder IS NOT NULL;
CREATE INDEX deliveries_by_custodian ON deliveries (custodian_id) WHERE state = 'WAITING';

CREATE TABLE delivery_attempts (
    id          INTEGER PRIMARY KEY,
    delivery_id INTEGER NOT NULL REFERENCES deliveries,
    attempt     INTEGER NOT NULL, -- from 1
    at          INTEGER NOT NULL,
    url         TEXT    NOT NULL,
    status      INTEGER NOT NULL, -- HTTP status; 0: no answer
    latency_us  INTEGER NOT NULL,
    error       TEXT    NOT NULL,
    response    TEXT    NOT NULL,
    request     TEXT    NOT NULL,
    UNIQUE (delivery_id, attempt)
) STRICT;

CREATE TABLE cursors (
    network         TEXT    PRIMARY KEY,
    scanned_number  INTEGER NOT NULL,
    scanned_hash    TEXT    NOT NULL,
    scanned_time    INTEGER,
    hardened_number INTEGER NOT NULL,
    hardened_hash   TEXT    NOT NULL,
    hardened_time   INTEGER,
    behind_since    INTEGER,
    updated_at      INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE leases (
    name   TEXT    PRIMARY KEY,
    holder TEXT    NOT NULL,
    until  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What was answered to a write that carried an Idempotency-Key. subject is the public id the write gives to what it
-- makes, chosen before the first try, so that a second try makes the same thing.
CREATE TABLE idempotency (
    key_id       INTEGER NOT NULL REFERENCES api_keys,
    key          TEXT    NOT NULL CHECK (length(key) BETWEEN 1 AND 255),
    request      BLOB    NOT NULL CHECK (length(request) = 32),
    subject      TEXT    NOT NULL,
    status       INTEGER NOT NULL, -- 0 until it is finished
    answer       BLOB,
    created_at   INTEGER NOT NULL,
    finished_at  INTEGER,
    locked_until INTEGER NOT NULL,
    PRIMARY KEY (key_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_by_age ON idempotency (created_at);

CREATE TRIGGER ledger_entries_no_update BEFORE UPDATE ON ledger_entries
BEGIN
    SELECT RAISE(ABORT, 'ledger_entries is append-only');
END;
CREATE TRIGGER ledger_entries_no_delete BEFORE DELETE ON ledger_entries
BEGIN
    SELECT RAISE(ABORT, 'ledger_entries is append-only');
END;
CREATE TRIGGER events_no_update BEFORE UPDATE ON events
BEGIN
    SELECT RAISE(ABORT, 'events is append-only');
END;
CREATE TRIGGER events_no_delete BEFORE DELETE ON events
BEGIN
    SELECT RAISE(ABORT, 'events is append-only');
END;
