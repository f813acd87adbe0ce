-- Reason: everything the first version keeps: owners, keys, custodians, the book of credits, payments and the outbox.

-- The installation itself. id goes into every deposit address. key_check tells a wrong FLORIN_SECRET_KEY at start.
-- server is the PostgreSQL server it was last seen on: see Store.Watches.
CREATE TABLE instance (
    only_row  boolean PRIMARY KEY DEFAULT TRUE CHECK (only_row),
    id        bytea   NOT NULL CHECK (octet_length(id) = 16),
    key_check text    NOT NULL,
    server    text    NOT NULL
);

CREATE TABLE users (
    id            bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    public_id     text        NOT NULL UNIQUE,
    email         text        NOT NULL UNIQUE, -- lower case
    first_name    text        NOT NULL,
    last_name     text        NOT NULL,
    password_hash text        NOT NULL,
    operator      boolean     NOT NULL,
    created_at    timestamptz NOT NULL
);

CREATE TABLE sessions (
    token      bytea       PRIMARY KEY CHECK (octet_length(token) = 32),
    user_id    bigint      NOT NULL REFERENCES users,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    revoked_at timestamptz,
    user_agent text        NOT NULL
);
CREATE INDEX sessions_by_user ON sessions (user_id);
CREATE INDEX sessions_by_end ON sessions (expires_at);

CREATE TABLE api_keys (
    id           bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    public_id    text        NOT NULL UNIQUE,
    user_id      bigint      NOT NULL REFERENCES users,
    hash         bytea       NOT NULL UNIQUE CHECK (octet_length(hash) = 32),
    label        text        NOT NULL,
    wallet       text        NOT NULL,
    created_at   timestamptz NOT NULL,
    last_used_at timestamptz,
    revoked_at   timestamptz
);
CREATE INDEX api_keys_by_user ON api_keys (user_id);

-- What the keys have left: the sums of ledger_entries, kept beside them. Many updates hit few rows, so their pages
-- have room for the next version of a row.
CREATE TABLE balances (
    key_id  bigint NOT NULL REFERENCES api_keys,
    unit    text   NOT NULL CHECK (unit IN ('credit', 'query')),
    balance bigint NOT NULL CHECK (balance >= 0),
    PRIMARY KEY (key_id, unit)
) WITH (fillfactor = 50);

CREATE TABLE ledger_entries (
    id           bigint      GENERATED ALWAYS AS IDENTITY,
    ref          text        NOT NULL,
    unit         text        NOT NULL CHECK (unit IN ('credit', 'query')),
    from_account text        NOT NULL,
    to_account   text        NOT NULL CHECK (to_account <> from_account),
    count        bigint      NOT NULL CHECK (count > 0),
    reason       text        NOT NULL,
    at           timestamptz NOT NULL,
    PRIMARY KEY (ref, unit)
);

CREATE TABLE custodians (
    id               bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    public_id        text        NOT NULL UNIQUE,
    key_id           bigint      NOT NULL UNIQUE REFERENCES api_keys,
    name             text        NOT NULL,
    callback_url     text        NOT NULL,
    lane             bigint      NOT NULL, -- hash of callback_url: deliveries of one receiver share a lane
    secret           text        NOT NULL, -- sealed
    signing_secrets  text        NOT NULL, -- JSON list of sealed texts, newest first
    tagline          text        NOT NULL,
    logo_url         text        NOT NULL,
    primary_color    text        NOT NULL,
    background_color text        NOT NULL,
    theme            text        NOT NULL,
    support_email    text        NOT NULL,
    website          text        NOT NULL,
    short_basis      bigint      NOT NULL CHECK (short_basis BETWEEN 0 AND 10000),
    late_for_us      bigint      NOT NULL CHECK (late_for_us >= 0),
    created_at       timestamptz NOT NULL,
    updated_at       timestamptz NOT NULL
);

CREATE TABLE custodian_wallets (
    custodian_id bigint NOT NULL REFERENCES custodians,
    network      text   NOT NULL,
    address      text   NOT NULL CHECK (address <> ''),
    PRIMARY KEY (custodian_id, network)
);

CREATE TABLE custodian_networks (
    custodian_id bigint  NOT NULL REFERENCES custodians,
    network      text    NOT NULL,
    enabled      boolean NOT NULL,
    tokens       text    NOT NULL, -- separated by commas; empty: all
    min_amount   bigint  NOT NULL CHECK (min_amount >= 0),
    max_amount   bigint  NOT NULL CHECK (max_amount >= 0),
    finality     text    NOT NULL, -- empty: the network's own
    sweep_min    bigint  NOT NULL CHECK (sweep_min >= 0),
    PRIMARY KEY (custodian_id, network)
);

CREATE TABLE payments (
    id             bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY CHECK (id >= 1),
    public_id      text        NOT NULL UNIQUE,
    key_id         bigint      NOT NULL REFERENCES api_keys,
    kind           text        NOT NULL,
    amount         bigint      NOT NULL CHECK (amount > 0), -- USD micros
    status         text        NOT NULL CHECK (status IN ('PENDING', 'STARTED', 'COMPLETED', 'EXPIRED', 'CANCELLED')),
    network        text        NOT NULL, -- empty until started
    token          text        NOT NULL,
    created_at     timestamptz NOT NULL,
    expires_at     timestamptz NOT NULL,
    started_at     timestamptz,
    ended_at       timestamptz,
    resumed_at     timestamptz,
    hash           text        NOT NULL,
    extended       boolean     NOT NULL,
    reorged        boolean     NOT NULL,
    by_hand        boolean     NOT NULL,
    short_basis    bigint      NOT NULL CHECK (short_basis BETWEEN 0 AND 10000),
    late_for_us    bigint      NOT NULL,
    credits        bigint      NOT NULL CHECK (credits >= 0),
    campaign_id    bigint      NOT NULL,
    seq            bigint      NOT NULL CHECK (seq > 0),
    reference      text        NOT NULL,
    description    text        NOT NULL,
    success_url    text        NOT NULL,
    cancel_url     text        NOT NULL,
    metadata       text        NOT NULL, -- JSON object; empty: none
    customer_email text        NOT NULL,
    donor_name     text        NOT NULL,
    donor_message  text        NOT NULL,
    CHECK ((status IN ('COMPLETED', 'EXPIRED', 'CANCELLED')) = (ended_at IS NOT NULL)),
    CHECK (status <> 'STARTED' OR (started_at IS NOT NULL AND network <> ''))
);
-- Lists of a key, newest first; a filter by status or network takes a few ranges of the second and merges them.
CREATE INDEX payments_by_key ON payments (key_id, created_at, id);
CREATE INDEX payments_by_state ON payments (key_id, status, network, created_at, id);
CREATE INDEX payments_open ON payments (expires_at) WHERE ended_at IS NULL;
CREATE INDEX payments_ended ON payments (ended_at) WHERE ended_at IS NOT NULL AND started_at IS NOT NULL;

CREATE TABLE routes (
    id         bigint      GENERATED ALWAYS AS IDENTITY,
    payment_id bigint      NOT NULL REFERENCES payments,
    network    text        NOT NULL,
    address    text        NOT NULL,
    raw        bytea       NOT NULL,
    settlement text        NOT NULL,
    tokens     text        NOT NULL, -- separated by commas, in order of choice
    since      timestamptz NOT NULL,
    xact       bigint      NOT NULL DEFAULT pg_current_xact_id()::text::bigint, -- the transaction that stored it: see Store.Watches
    PRIMARY KEY (payment_id, network),
    UNIQUE (address, network)
);
CREATE INDEX routes_by_xact ON routes (xact, id);

-- A transfer belongs to one payment. Its key leaves out the block, which a reorg may change.
CREATE TABLE deposits (
    id           bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    payment_id   bigint      NOT NULL REFERENCES payments,
    key_id       bigint      NOT NULL,
    network      text        NOT NULL,
    tx_hash      text        NOT NULL,
    ordinal      bigint      NOT NULL,
    contract     text        NOT NULL,
    symbol       text        NOT NULL,
    decimals     bigint      NOT NULL,
    token        text        NOT NULL,
    from_address text        NOT NULL,
    to_address   text        NOT NULL,
    units        text        NOT NULL, -- whole number of the token's smallest unit
    block_number bigint      NOT NULL CHECK (block_number >= 0),
    block_hash   text        NOT NULL,
    block_time   timestamptz,
    source       text        NOT NULL,
    state        text        NOT NULL CHECK (state IN ('SEEN', 'FINAL', 'VANISHED')),
    hardened     boolean     NOT NULL,
    late         boolean     NOT NULL,
    seen_at      timestamptz NOT NULL,
    final_at     timestamptz,
    swept_at     timestamptz,
    UNIQUE (network, tx_hash, ordinal)
);
CREATE INDEX deposits_by_payment ON deposits (payment_id);
CREATE INDEX deposits_unsettled ON deposits (network, payment_id) WHERE NOT hardened AND state <> 'VANISHED';
CREATE INDEX deposits_unswept ON deposits (key_id, payment_id) WHERE swept_at IS NULL AND state <> 'VANISHED';

CREATE TABLE events (
    id         bigint      GENERATED ALWAYS AS IDENTITY,
    payment_id bigint      NOT NULL REFERENCES payments,
    seq        bigint      NOT NULL CHECK (seq > 0),
    event_id   text        NOT NULL,
    type       text        NOT NULL,
    at         timestamptz NOT NULL,
    data       text        NOT NULL, -- JSON, byte for byte as it is delivered
    PRIMARY KEY (payment_id, seq)
);

-- What GET /events serves: the public events of a key. An event gets its position when it is first asked for, after
-- its transaction has committed; so positions grow in an order that no reader can see broken.
CREATE TABLE feed (
    payment_id bigint NOT NULL,
    seq        bigint NOT NULL,
    key_id     bigint NOT NULL,
    position   bigint,
    PRIMARY KEY (payment_id, seq),
    UNIQUE (key_id, position),
    FOREIGN KEY (payment_id, seq) REFERENCES events (payment_id, seq)
);
CREATE INDEX feed_unplaced ON feed (key_id) WHERE position IS NULL;

-- The outbox: one row for each public event of a custodian with a callback URL, written with the event.
CREATE TABLE deliveries (
    id           bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    payment_id   bigint      NOT NULL,
    seq          bigint      NOT NULL,
    custodian_id bigint      NOT NULL REFERENCES custodians,
    lane         bigint      NOT NULL,
    state        text        NOT NULL CHECK (state IN ('WAITING', 'DELIVERED', 'FAILED', 'STOPPED')),
    attempt      bigint      NOT NULL, -- attempts made
    due_at       timestamptz NOT NULL, -- while it is held: when the hold ends
    holder       text,
    UNIQUE (payment_id, seq),
    FOREIGN KEY (payment_id, seq) REFERENCES events (payment_id, seq)
) WITH (fillfactor = 80);
CREATE INDEX deliveries_by_lane ON deliveries (lane, due_at) WHERE state = 'WAITING';
CREATE INDEX deliveries_due ON deliveries (due_at) WHERE state = 'WAITING';
CREATE INDEX deliveries_held ON deliveries (lane, due_at) WHERE holder IS NOT NULL;
CREATE INDEX deliveries_by_custodian ON deliveries (custodian_id) WHERE state = 'WAITING';

CREATE TABLE delivery_attempts (
    id          bigint      GENERATED ALWAYS AS IDENTITY,
    delivery_id bigint      NOT NULL REFERENCES deliveries,
    attempt     bigint      NOT NULL, -- from 1
    at          timestamptz NOT NULL,
    url         text        NOT NULL,
    status      bigint      NOT NULL, -- HTTP status; 0: no answer
    latency_us  bigint      NOT NULL,
    error       text        NOT NULL,
    response    text        NOT NULL,
    request     text        NOT NULL,
    PRIMARY KEY (delivery_id, attempt)
);

CREATE TABLE cursors (
    network         text        PRIMARY KEY,
    scanned_number  bigint      NOT NULL,
    scanned_hash    text        NOT NULL,
    scanned_time    timestamptz,
    hardened_number bigint      NOT NULL,
    hardened_hash   text        NOT NULL,
    hardened_time   timestamptz,
    behind_since    timestamptz,
    updated_at      timestamptz
);

CREATE TABLE leases (
    name   text        PRIMARY KEY,
    holder text        NOT NULL,
    until  timestamptz NOT NULL
);

-- What was answered to a write that carried an Idempotency-Key. subject is the public id the write gives to what it
-- makes, chosen before the first try, so that a second try makes the same thing.
CREATE TABLE idempotency (
    key_id       bigint      NOT NULL REFERENCES api_keys,
    key          text        NOT NULL CHECK (length(key) BETWEEN 1 AND 255),
    request      bytea       NOT NULL CHECK (octet_length(request) = 32),
    subject      text        NOT NULL,
    status       bigint      NOT NULL, -- 0 until it is finished
    answer       bytea,
    created_at   timestamptz NOT NULL,
    finished_at  timestamptz,
    locked_until timestamptz NOT NULL,
    PRIMARY KEY (key_id, key)
);
CREATE INDEX idempotency_by_age ON idempotency (created_at);

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END
$$;
CREATE TRIGGER ledger_entries_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_entries
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON events
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
