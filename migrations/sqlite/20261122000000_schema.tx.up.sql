-- Reason: the schema of the first version.

-- The installation itself. key_check detects a wrong FLORIN_SECRET_KEY at start.
-- server and routes.xact are for PostgreSQL.
CREATE TABLE instance (
    only_row  INTEGER PRIMARY KEY CHECK (only_row = 1),
    key_check TEXT    NOT NULL, -- sealed
    server    TEXT    NOT NULL,
    installation TEXT NOT NULL, -- random: a mark of another installation is not compared
    generation INTEGER NOT NULL DEFAULT 0 CHECK (generation >= 0), -- when it was restored last, in seconds since 2026
    ticks     INTEGER NOT NULL DEFAULT 0 CHECK (ticks >= 0), -- grows while it is served; the mark beside it follows
    home      TEXT    NOT NULL DEFAULT '', -- where it was served: ids that pg_restore does not bring back; empty: nowhere, or SQLite
    timeline  TEXT    NOT NULL DEFAULT '', -- of PostgreSQL's log when it was served: a recovery to a point in time begins another; empty: not known
    backed_up_at INTEGER -- the moment of the newest backup that florin backup has written; NULL: none
) STRICT;

-- The migrations that were applied, and the oldest migration that a program must know to use the database after each.
CREATE TABLE schema_versions (
    name  TEXT NOT NULL PRIMARY KEY,
    needs TEXT NOT NULL,
    digest TEXT NOT NULL -- of the text of the migration, to tell builds apart
) STRICT;

CREATE TABLE users (
    id            INTEGER PRIMARY KEY,
    public_id     TEXT    NOT NULL UNIQUE,
    email         TEXT    NOT NULL UNIQUE, -- lower case
    first_name    TEXT    NOT NULL,
    last_name     TEXT    NOT NULL,
    password_hash TEXT    NOT NULL,
    language      TEXT    NOT NULL, -- of pages and mails, such as de; empty: never chosen
    operator      INTEGER NOT NULL,
    created_at    INTEGER NOT NULL,
    verified_at INTEGER, -- NULL: the address was never shown to be the user's
    disabled_at INTEGER -- a disabled user cannot sign in, and none of their keys is accepted
) STRICT;

CREATE TABLE sessions (
    token      BLOB    PRIMARY KEY CHECK (length(token) = 32),
    user_id    INTEGER NOT NULL REFERENCES users,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    used_at    INTEGER NOT NULL, -- to the hour
    confirmed_at INTEGER, -- when its user re-authenticated last; NULL: not yet
    wrong      INTEGER NOT NULL DEFAULT 0, -- failed re-authentications since the last one that did not fail
    revoked_at INTEGER,
    user_agent TEXT    NOT NULL,
    merchant_id INTEGER REFERENCES users -- the merchant it acts for; NULL: the user belongs to none
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
    permissions  TEXT    NOT NULL, -- names, separated by commas
    sources      TEXT    NOT NULL, -- networks (CIDR) it may be used from, separated by spaces; empty: all
    confirmed    INTEGER NOT NULL, -- made by the command line, or by an owner who re-authenticated
    currency     TEXT    NOT NULL DEFAULT '', -- of its shop, by ISO 4217; empty: US dollars
    zone         TEXT    NOT NULL DEFAULT '', -- time zone of its shop (IANA); empty: UTC
    created_at   INTEGER NOT NULL,
    last_used_at INTEGER,
    revoked_at   INTEGER,
    disabled_at INTEGER
) STRICT;
CREATE INDEX api_keys_by_user ON api_keys (user_id);

-- The balance of each key: the sums of ledger_entries, kept in the same transaction.
CREATE TABLE balances (
    key_id  INTEGER NOT NULL REFERENCES api_keys,
    unit    TEXT    NOT NULL CHECK (unit IN ('credit', 'query')),
    balance INTEGER NOT NULL CHECK (balance >= 0),
    held    INTEGER NOT NULL DEFAULT 0 CHECK (held >= 0), -- for open payments of strangers
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
    receiver         INTEGER NOT NULL, -- hash of callback_url: deliveries to one receiver share its limits
    secret           TEXT    NOT NULL, -- sealed
    signing_secrets  TEXT    NOT NULL, -- JSON list of sealed texts, newest first
    tagline          TEXT    NOT NULL,
    logo_url         TEXT    NOT NULL,
    primary_color    TEXT    NOT NULL,
    background_color TEXT    NOT NULL,
    theme            TEXT    NOT NULL,
    support_email    TEXT    NOT NULL,
    website          TEXT    NOT NULL,
    legal_name       TEXT    NOT NULL DEFAULT '', -- as receipts name the seller
    legal_address    TEXT    NOT NULL DEFAULT '',
    tax_id           TEXT    NOT NULL DEFAULT '',
    short_basis      INTEGER NOT NULL CHECK (short_basis BETWEEN 0 AND 10000),
    late_for_us      INTEGER NOT NULL CHECK (late_for_us >= 0),
    keep_over        INTEGER NOT NULL DEFAULT 0 CHECK (keep_over >= 0), -- USD micros
    repeats          INTEGER NOT NULL, -- its references repeat by design: two paid payments of one are no mistake
    restarts         INTEGER NOT NULL DEFAULT 0, -- who let an order expire may start it again, as a new payment
    offer_refunds    INTEGER NOT NULL DEFAULT 0, -- payers are offered back what came too much, too late or in another token
    pricing          TEXT    NOT NULL DEFAULT '', -- JSON: what the merchant wants of rates; empty: nothing
    created_at       INTEGER NOT NULL,
    updated_at       INTEGER NOT NULL
) STRICT;

CREATE TABLE custodian_wallets (
    custodian_id INTEGER NOT NULL REFERENCES custodians,
    network      TEXT    NOT NULL,
    address      BLOB    NOT NULL CHECK (length(address) > 0),
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

-- How long the money of a key may wait for others to share its transaction, where its merchant lets it wait longer than
-- the operator, and when the merchant last asked for it.
CREATE TABLE settlement_schedules (
    key_id   INTEGER NOT NULL PRIMARY KEY REFERENCES api_keys,
    at_once  INTEGER NOT NULL CHECK (at_once >= 0), -- USD micros; 0: the operator's
    wait_us  INTEGER NOT NULL CHECK (wait_us >= 0), -- 0: the operator's
    asked_at INTEGER
);

CREATE TABLE payments (
    id             INTEGER PRIMARY KEY AUTOINCREMENT CHECK (id >= 1),
    public_id      TEXT    NOT NULL UNIQUE,
    key_id         INTEGER NOT NULL REFERENCES api_keys,
    kind           TEXT    NOT NULL,
    amount         INTEGER NOT NULL CHECK (amount > 0), -- USD micros
    currency       TEXT    NOT NULL DEFAULT '', -- of the price that the amount was made of; empty: it was given in dollars
    price          INTEGER NOT NULL DEFAULT 0, -- in the currency's smallest unit
    rate           INTEGER NOT NULL DEFAULT 0, -- USD for one unit of the currency, in 1e-10
    rate_markup    INTEGER NOT NULL DEFAULT 0 CHECK (rate_markup >= 0), -- hundredths of a per cent that the merchant adds
    rate_at        INTEGER,
    rate_sources   TEXT    NOT NULL DEFAULT '', -- with commas between them
    status         TEXT    NOT NULL CHECK (status IN ('PENDING', 'STARTED', 'COMPLETED', 'EXPIRED', 'CANCELLED')),
    network        TEXT    NOT NULL, -- empty until started
    token          TEXT    NOT NULL,
    created_at     INTEGER NOT NULL,
    expires_at     INTEGER NOT NULL,
    started_at     INTEGER,
    ended_at       INTEGER,
    resumed_at     INTEGER,
    hash           BLOB    NOT NULL,
    extended       INTEGER NOT NULL,
    reorged        INTEGER NOT NULL,
    by_hand        INTEGER NOT NULL,
    short_basis    INTEGER NOT NULL CHECK (short_basis BETWEEN 0 AND 10000),
    late_for_us    INTEGER NOT NULL,
    keep_over      INTEGER NOT NULL DEFAULT 0,
    credits        INTEGER NOT NULL CHECK (credits >= 0),
    credited       INTEGER NOT NULL DEFAULT 0 CHECK (credited >= 0), -- by what a top-up received; its ledger entries add up to it
    campaign_id    INTEGER NOT NULL,
    link_id        INTEGER NOT NULL DEFAULT 0, -- the payment link; 0: none
    held           INTEGER NOT NULL DEFAULT 0, -- its credit is held
    unheld         INTEGER NOT NULL DEFAULT 0, -- that was given back before its end
    near           TEXT    NOT NULL DEFAULT '', -- the network (/24, /48) of the stranger who started it, until it ends
    attended_at    INTEGER, -- when the page of a stranger's payment was last seen open
    seq            INTEGER NOT NULL CHECK (seq > 0),
    resolved       INTEGER NOT NULL CHECK (resolved BETWEEN 0 AND seq), -- its last event when its merchant resolved what needed attention
    asked          INTEGER NOT NULL DEFAULT 0 CHECK (asked BETWEEN 0 AND seq), -- the event of the payer asking its merchant to accept what came; 0: never
    refunded       TEXT NOT NULL DEFAULT '', -- what refunds take: NETWORK:CONTRACT:ARRIVED:OPEN, in the smallest units, separated by commas
    paid_back      INTEGER NOT NULL DEFAULT 0 CHECK (paid_back >= 0), -- what of refunded has arrived, in USD 1e-6; it finds the payment
    duplicate_of   TEXT    NOT NULL DEFAULT '', -- the payment of the same reference that was paid before
    lang           TEXT    NOT NULL DEFAULT '', -- in which the payer last read its page; empty: in none
    attention      TEXT    NOT NULL, -- why it needs its merchant; empty: it does not
    reference      TEXT    NOT NULL,
    description    TEXT    NOT NULL,
    success_url    TEXT    NOT NULL,
    cancel_url     TEXT    NOT NULL,
    metadata       TEXT    NOT NULL, -- JSON object; empty: none
    customer_email TEXT    NOT NULL,
    donor_name     TEXT    NOT NULL,
    donor_message  TEXT    NOT NULL,
    words          TEXT    NOT NULL DEFAULT '', -- of the texts above and the metadata, with spaces between them: see payment_words
    CHECK ((status IN ('COMPLETED', 'EXPIRED', 'CANCELLED')) = (ended_at IS NOT NULL)),
    CHECK (status <> 'STARTED' OR (started_at IS NOT NULL AND network <> '')),
    CHECK (CASE WHEN currency = '' THEN price = 0 AND rate = 0 ELSE price > 0 AND rate > 0 AND rate_at IS NOT NULL END)
) STRICT;
-- Lists of a key, newest first; a filter by status or network takes a few ranges of the second and merges them.
-- With what totals and bounds of the amount read.
CREATE INDEX payments_by_key ON payments (key_id, created_at, id, kind, amount);
-- An expression, which no other index can serve: a planner that takes payments_by_key for a state that is rare among the
-- newest skips all of these. With what totals read.
CREATE INDEX payments_by_state ON payments ((CAST(key_id AS text) || substr(status, 1, 2) || substr(network, 1, 2)), created_at, id, kind, amount);
CREATE INDEX payments_open ON payments (expires_at) WHERE ended_at IS NULL;
CREATE INDEX payments_by_amount ON payments (key_id, amount, created_at, id);
CREATE INDEX payments_priced ON payments (key_id, price, created_at) WHERE currency <> '';
CREATE INDEX payments_attention ON payments (key_id, created_at, id) WHERE attention <> '';
CREATE INDEX payments_returned ON payments (key_id, created_at, id) WHERE paid_back > 0;
-- What was paid, by when.
CREATE INDEX payments_paid ON payments (key_id, ended_at, id) WHERE status = 'COMPLETED';
-- What each payment link has brought in.
CREATE INDEX payments_by_link ON payments (link_id, amount) WHERE link_id > 0 AND status = 'COMPLETED';
CREATE INDEX payments_ended ON payments (ended_at) WHERE ended_at IS NOT NULL AND started_at IS NOT NULL;

-- What a key sold in a quarter of an hour, by when its payments were completed: their sums, kept in the transactions
-- that complete them. Days of every time zone are sums of quarters. Top-ups are no sales.
CREATE TABLE sales (
    key_id   INTEGER NOT NULL REFERENCES api_keys,
    day      INTEGER NOT NULL, -- of UTC, since 1970: the sums of days are read in the order of the key, without sorting
    quarter  INTEGER NOT NULL, -- whole quarters of an hour since 1970
    network  TEXT    NOT NULL,
    currency TEXT    NOT NULL, -- in which they were priced; empty: US dollars
    payments INTEGER NOT NULL,
    volume   INTEGER NOT NULL, -- USD micros
    price    INTEGER NOT NULL, -- in the currency's smallest unit; 0: US dollars
    PRIMARY KEY (key_id, day, network, currency, quarter)
) STRICT, WITHOUT ROWID;

CREATE TABLE routes (
    id         INTEGER PRIMARY KEY,
    payment_id INTEGER NOT NULL REFERENCES payments,
    network    TEXT    NOT NULL,
    address    BLOB    NOT NULL,
    raw        BLOB    NOT NULL,
    settlement BLOB    NOT NULL,
    scheme     INTEGER NOT NULL CHECK (scheme > 0), -- chain.AddressScheme: by which rule the address derives
    tokens     TEXT    NOT NULL, -- separated by commas, in order of choice
    since      INTEGER NOT NULL,
    xact       INTEGER NOT NULL DEFAULT 0, -- the transaction that stored it: see Store.Watches
    finality   TEXT    NOT NULL DEFAULT '', -- empty: the network's own rule
    also       TEXT    NOT NULL DEFAULT '', -- other networks where money counts, as NETWORK.TOKEN
    UNIQUE (payment_id, network),
    UNIQUE (address, network)
) STRICT;

-- A transfer belongs to one payment. Its key leaves out the block, which a reorg may change, and has the recipient and
-- the contract, which a transaction can make depend on the block.
CREATE TABLE deposits (
    id           INTEGER PRIMARY KEY,
    payment_id   INTEGER NOT NULL REFERENCES payments,
    key_id       INTEGER NOT NULL,
    network      TEXT    NOT NULL,
    tx_hash      BLOB    NOT NULL,
    ordinal      INTEGER NOT NULL,
    contract     BLOB    NOT NULL,
    symbol       TEXT    NOT NULL,
    decimals     INTEGER NOT NULL,
    token        TEXT    NOT NULL,
    from_address BLOB    NOT NULL,
    to_address   BLOB    NOT NULL,
    units        TEXT    NOT NULL, -- whole number of the token's smallest unit
    block_number INTEGER NOT NULL CHECK (block_number >= 0),
    block_hash   BLOB    NOT NULL,
    block_time   INTEGER,
    source       TEXT    NOT NULL,
    state        TEXT    NOT NULL CHECK (state IN ('SEEN', 'FINAL', 'VANISHED')),
    rechecked    INTEGER NOT NULL,
    late         INTEGER NOT NULL,
    seen_at      INTEGER NOT NULL,
    final_at     INTEGER,
    swept_at     INTEGER,
    folded         INTEGER NOT NULL DEFAULT 0, -- how many small transfers it stands for; 0: it is one transfer
    folded_through INTEGER NOT NULL DEFAULT 0, -- the last block whose transfers it holds
    account        BLOB    NOT NULL DEFAULT x'', -- Solana: the token account it came to; empty: the associated one
    UNIQUE (network, tx_hash, ordinal, to_address, contract)
) STRICT;
CREATE INDEX deposits_by_payment ON deposits (payment_id);
CREATE INDEX deposits_unsettled ON deposits (network, state, block_number, payment_id) WHERE NOT rechecked AND state <> 'VANISHED';
CREATE INDEX deposits_unswept ON deposits (key_id, payment_id) WHERE swept_at IS NULL AND state <> 'VANISHED';

-- Money that a merchant pays back from a wallet of his own.
CREATE TABLE refunds (
    id         INTEGER PRIMARY KEY,
    public_id  TEXT    NOT NULL UNIQUE,
    payment_id INTEGER NOT NULL REFERENCES payments,
    network    TEXT    NOT NULL,
    contract   BLOB    NOT NULL,
    symbol     TEXT    NOT NULL,
    decimals   INTEGER NOT NULL,
    token      TEXT    NOT NULL,
    units      TEXT    NOT NULL, -- whole number of the token's smallest unit
    reason     TEXT    NOT NULL,
    status     TEXT    NOT NULL CHECK (status IN ('REQUESTED', 'ADDRESS_GIVEN', 'SENT', 'FINAL', 'CANCELLED')),
    address    BLOB    NOT NULL, -- empty until the payer gave it
    raw        BLOB,
    proven     INTEGER NOT NULL, -- the wallet that paid has signed for it
    hash       BLOB    NOT NULL, -- the transaction; empty until it is known
    ordinal    INTEGER NOT NULL, -- of the transfer that settled it, in its transaction
    created_at INTEGER NOT NULL,
    address_at INTEGER,
    asked_at   INTEGER, -- when the merchant's wallet was asked to send it
    final_at   INTEGER,
    scanned    INTEGER NOT NULL CHECK (scanned >= 0), -- the block up to which its address was read; 0: not yet
    others     TEXT    NOT NULL, -- transfers of other amounts to its address, as JSON
    CHECK ((status = 'FINAL') = (final_at IS NOT NULL)),
    CHECK (status NOT IN ('ADDRESS_GIVEN', 'SENT', 'FINAL') OR length(address) > 0)
) STRICT;
CREATE INDEX refunds_by_payment ON refunds (payment_id);
CREATE INDEX refunds_awaited ON refunds (network, address) WHERE status IN ('ADDRESS_GIVEN', 'SENT');
CREATE INDEX refunds_by_address ON refunds (network, address) WHERE length(address) > 0;
-- A transfer settles one refund.
CREATE UNIQUE INDEX refunds_by_transfer ON refunds (network, hash, ordinal) WHERE status = 'FINAL';

-- What could not be read for one payment is set aside, so that it holds up no other, and is read again from from_number on.
CREATE TABLE set_aside (
    payment_id  INTEGER NOT NULL REFERENCES payments,
    network     TEXT    NOT NULL,
    from_number INTEGER NOT NULL,
    since       INTEGER NOT NULL,
    attempts    INTEGER NOT NULL,
    next_at     INTEGER NOT NULL,
    reason      TEXT    NOT NULL,
    accounts    TEXT    NOT NULL DEFAULT '', -- token accounts to be read, too, separated by commas
    shown       TEXT    NOT NULL DEFAULT '', -- transfers that are not recorded, as JSON
    PRIMARY KEY (network, payment_id)
) STRICT;

CREATE TABLE events (
    payment_id INTEGER NOT NULL REFERENCES payments,
    seq        INTEGER NOT NULL CHECK (seq > 0),
    type       TEXT    NOT NULL,
    at         INTEGER NOT NULL,
    data       BLOB    NOT NULL, -- JSON, byte for byte as it is delivered
    PRIMARY KEY (payment_id, seq)
) STRICT;

-- The public events of a key in the order of GET /events. An event gets its position when it is first read, after its
-- transaction has committed, so no reader ever sees an event before the end of what it has read.
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

-- The last position of each key whose event was dropped because its retention had ended: positions go on after it, and
-- a reader that is before it has missed something.
CREATE TABLE feed_dropped (
    key_id   INTEGER PRIMARY KEY REFERENCES api_keys,
    position INTEGER NOT NULL CHECK (position > 0)
) STRICT;

-- The outbox: one row for each public event of a custodian with a callback URL, written with the event.
CREATE TABLE deliveries (
    id           INTEGER PRIMARY KEY,
    payment_id   INTEGER NOT NULL,
    seq          INTEGER NOT NULL,
    custodian_id INTEGER NOT NULL REFERENCES custodians,
    type         TEXT    NOT NULL, -- of the event
    receiver     INTEGER NOT NULL,
    state        TEXT    NOT NULL CHECK (state IN ('WAITING', 'DELIVERED', 'FAILED', 'STOPPED', 'OVERTAKEN')),
    attempt      INTEGER NOT NULL, -- attempts made
    due_at       INTEGER NOT NULL, -- while it is held: when the hold ends
    holder       TEXT,
    replayed     INTEGER NOT NULL DEFAULT 0, -- the receiver may know it from the time that a restore lost
    UNIQUE (payment_id, seq),
    FOREIGN KEY (payment_id, seq) REFERENCES events (payment_id, seq)
) STRICT;
CREATE INDEX deliveries_by_receiver ON deliveries (receiver, due_at) WHERE state = 'WAITING';
CREATE INDEX deliveries_due ON deliveries (due_at) WHERE state = 'WAITING';
CREATE INDEX deliveries_held ON deliveries (receiver, due_at) WHERE holder IS NOT NULL;

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
    request     TEXT    NOT NULL, -- first line and headers
    keyed       INTEGER NOT NULL, -- the body had the secret in it; the rest of the body is the data of the event
    UNIQUE (delivery_id, attempt)
) STRICT;

CREATE TABLE cursors (
    network         TEXT    PRIMARY KEY,
    scanned_number  INTEGER NOT NULL,
    scanned_hash    TEXT    NOT NULL,
    scanned_time    INTEGER,
    rechecked_number INTEGER NOT NULL,
    rechecked_hash   TEXT    NOT NULL,
    rechecked_time   INTEGER,
    second_number    INTEGER NOT NULL DEFAULT 0, -- up to this block it was read through as many endpoints as must say the same
    second_time      INTEGER,
    behind_since    INTEGER,
    updated_at      INTEGER,
    restored_at     INTEGER,
    replaying       INTEGER NOT NULL DEFAULT 0, -- restored, and not read to its end yet
    restored_number INTEGER NOT NULL DEFAULT 0, -- where it was first read on after the last restore; 0: never restored
    moves           INTEGER NOT NULL DEFAULT 0, -- how often an operator moved it: a round that began before stores nothing
    reread_to       INTEGER NOT NULL DEFAULT 0, -- up to this block every address there ever was is read
    pause_ms        INTEGER NOT NULL DEFAULT 0, -- how long the network may go unread after updated_at by its pace
    ended_number    INTEGER NOT NULL DEFAULT 0  -- up to this block every address is read, also those of ended payments
) STRICT, WITHOUT ROWID;

-- How often the endpoints were called, by day (UTC) and by all instances: the budget of a day, and the bill of a month.
CREATE TABLE rpc_calls (
    day      TEXT    NOT NULL,
    network  TEXT    NOT NULL,
    endpoint TEXT    NOT NULL, -- host and port
    method   TEXT    NOT NULL,
    calls    INTEGER NOT NULL CHECK (calls > 0),
    PRIMARY KEY (day, network, endpoint, method)
) STRICT, WITHOUT ROWID;

-- Until when somebody looks at a payment with an address on the network: pages of every instance raise the pace of the
-- one that reads.
CREATE TABLE presence (
    network TEXT    PRIMARY KEY,
    until   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Payments that ended and whose page was open of late: their addresses are read as those of open ones.
CREATE TABLE looks (
    payment_id INTEGER PRIMARY KEY,
    network    TEXT    NOT NULL,
    at         INTEGER NOT NULL
) STRICT;

CREATE TABLE leases (
    name   TEXT    PRIMARY KEY,
    holder TEXT    NOT NULL,
    until  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Answers to writes with an Idempotency-Key. subject is the public id of what the write creates, chosen before the
-- first attempt, so that a second attempt creates the same thing.
CREATE TABLE idempotency (
    key_id       INTEGER NOT NULL, -- of api_keys; 0: the request signs a user up
    key          TEXT    NOT NULL CHECK (length(key) BETWEEN 1 AND 255),
    scope        TEXT    NOT NULL, -- what callers without the API key share; empty: they have it
    request      BLOB    NOT NULL CHECK (length(request) = 32),
    subject      TEXT    NOT NULL,
    holder       TEXT    NOT NULL, -- the try that has the request
    status       INTEGER NOT NULL, -- 0 until it is finished
    answer       BLOB, -- sealed
    created_at   INTEGER NOT NULL,
    finished_at  INTEGER,
    locked_until INTEGER NOT NULL,
    PRIMARY KEY (key_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_by_age ON idempotency (created_at);
CREATE INDEX idempotency_by_scope ON idempotency (key_id, scope, created_at) WHERE scope <> '';

CREATE TRIGGER ledger_entries_no_update BEFORE UPDATE ON ledger_entries
BEGIN
    SELECT RAISE(ABORT, 'ledger_entries is append-only');
END;
CREATE TRIGGER ledger_entries_no_delete BEFORE DELETE ON ledger_entries
BEGIN
    SELECT RAISE(ABORT, 'ledger_entries is append-only');
END;
-- What may be done to append-only tables: rows exist only inside the transaction that does it.
CREATE TABLE permits (
    act        TEXT    PRIMARY KEY, -- 'drop events', 'drop audit_log' or 'erase audit_log'
    older_than INTEGER NOT NULL -- rows of before may be dropped
) STRICT;
-- The payments whose payer is being forgotten: rows exist only inside that transaction, which may change what their
-- events say.
CREATE TABLE erasures (
    payment_id INTEGER PRIMARY KEY REFERENCES payments
) STRICT;
CREATE TRIGGER events_no_update BEFORE UPDATE ON events
WHEN (NEW.payment_id, NEW.seq, NEW.type, NEW.at) <> (OLD.payment_id, OLD.seq, OLD.type, OLD.at)
    OR NOT EXISTS (SELECT 1 FROM erasures WHERE payment_id = OLD.payment_id)
BEGIN
    SELECT RAISE(ABORT, 'events is append-only');
END;
CREATE TRIGGER events_no_early_drop BEFORE DELETE ON events
WHEN NOT EXISTS (SELECT 1 FROM permits WHERE act = 'drop events' AND OLD.at < older_than)
BEGIN
    SELECT RAISE(ABORT, 'events is append-only');
END;

-- Settlement: sweeps, what they cost, and the balance of each deposit address.

CREATE TABLE sweeps (
    id           INTEGER PRIMARY KEY,
    public_id    TEXT    NOT NULL UNIQUE,
    network      TEXT    NOT NULL,
    state        TEXT    NOT NULL CHECK (state IN ('PLANNED', 'SIGNED', 'SENT', 'CONFIRMED', 'FAILED', 'SUPERSEDED')),
    created_at   INTEGER NOT NULL,
    ended_at     INTEGER,
    tx_hash      TEXT    NOT NULL, -- of the final transaction; empty: none
    block_number INTEGER NOT NULL,
    block_hash   TEXT    NOT NULL,
    block_time   INTEGER,
    paid         TEXT    NOT NULL, -- native coin's smallest unit
    moved        INTEGER NOT NULL, -- how many deposit balances it moved
    note         TEXT    NOT NULL,
    CHECK ((state IN ('CONFIRMED', 'FAILED', 'SUPERSEDED')) = (ended_at IS NOT NULL))
) STRICT;
CREATE INDEX sweeps_in_flight ON sweeps (network) WHERE ended_at IS NULL;
CREATE UNIQUE INDEX sweeps_by_tx ON sweeps (network, tx_hash) WHERE tx_hash <> '';
CREATE INDEX sweeps_ended ON sweeps (network, ended_at) WHERE ended_at IS NOT NULL;

-- What the sweeps in flight hold until they end: an address is in one of them, and a nonce of a gas wallet is of one.
CREATE TABLE sweep_claims (
    network  TEXT NOT NULL,
    address  BLOB NOT NULL,
    sweep_id INTEGER NOT NULL REFERENCES sweeps,
    PRIMARY KEY (network, address)
) STRICT;
CREATE INDEX sweep_claims_by_sweep ON sweep_claims (sweep_id);
CREATE TABLE sweep_nonces (
    network  TEXT NOT NULL,
    signer   TEXT NOT NULL, -- the gas wallet
    nonce    INTEGER NOT NULL,
    sweep_id INTEGER NOT NULL REFERENCES sweeps,
    PRIMARY KEY (network, signer, nonce)
) STRICT;
CREATE INDEX sweep_nonces_by_sweep ON sweep_nonces (sweep_id);

-- txnid, raw and settlement are empty where the payment's route on the network of the sweep has them.
CREATE TABLE sweep_items (
    id         INTEGER PRIMARY KEY,
    sweep_id   INTEGER NOT NULL REFERENCES sweeps,
    payment_id INTEGER REFERENCES payments, -- NULL: a payment of a lost database, swept by its txnid
    txnid      TEXT    NOT NULL,
    address    BLOB    NOT NULL,
    raw        BLOB    NOT NULL,
    settlement BLOB    NOT NULL,
    scheme     INTEGER NOT NULL CHECK (scheme > 0),
    contract   BLOB    NOT NULL, -- empty: the native coin
    symbol     TEXT    NOT NULL,
    decimals   INTEGER NOT NULL,
    token      TEXT    NOT NULL,
    expected   TEXT    NOT NULL,
    rescue     INTEGER NOT NULL,
    accounts   TEXT    NOT NULL DEFAULT '', -- token accounts that are emptied, too, separated by commas
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

-- The deposit balance of one address in one asset: what sweeps moved from it.
CREATE TABLE deposit_balances (
    network       TEXT    NOT NULL,
    address       BLOB    NOT NULL,
    contract      BLOB    NOT NULL,
    payment_id    INTEGER NOT NULL REFERENCES payments,
    moved         TEXT    NOT NULL, -- all that left the address
    marked        TEXT    NOT NULL, -- of which for deposits marked as swept
    found         TEXT    NOT NULL, -- of which was moved by hand and belongs to no deposit
    through       INTEGER NOT NULL, -- block of the last sweep that moved money
    ahead         INTEGER NOT NULL, -- moved is more than marked
    failures      INTEGER NOT NULL,
    blocked_until INTEGER,
    reason        TEXT    NOT NULL,
    PRIMARY KEY (network, address, contract)
) STRICT, WITHOUT ROWID;
CREATE INDEX deposit_balances_ahead ON deposit_balances (network) WHERE ahead;

CREATE INDEX deposits_to_sweep ON deposits (network, final_at) WHERE swept_at IS NULL AND state = 'FINAL';

-- The merchant's dashboard: second factors, password resets, invitations, the audit log.

CREATE TABLE second_factors (
    user_id      INTEGER PRIMARY KEY REFERENCES users,
    secret       TEXT    NOT NULL, -- sealed
    created_at   INTEGER NOT NULL,
    confirmed_at INTEGER,          -- NULL: shown, but not in force
    last_step    INTEGER NOT NULL, -- time step of the last code taken: each counts once
    session BLOB -- hash of the token of the session that sets it up: the secret is shown to no other
) STRICT;

CREATE TABLE recovery_codes (
    user_id INTEGER NOT NULL REFERENCES users,
    hash    BLOB    NOT NULL CHECK (length(hash) = 32),
    used_at INTEGER,
    PRIMARY KEY (user_id, hash)
) STRICT, WITHOUT ROWID;

CREATE TABLE password_resets (
    token      BLOB    PRIMARY KEY CHECK (length(token) = 32),
    user_id    INTEGER NOT NULL REFERENCES users,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    used_at    INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX password_resets_by_user ON password_resets (user_id);
CREATE INDEX password_resets_by_end ON password_resets (expires_at);

-- Sign-ups whose address is not verified yet.
CREATE TABLE sign_ups (
    token         BLOB   PRIMARY KEY CHECK (length(token) = 32),
    user_id       INTEGER NOT NULL, -- the user to verify; 0: one to create
    public_id     TEXT    NOT NULL,
    email         TEXT    NOT NULL,
    first_name    TEXT    NOT NULL,
    last_name     TEXT    NOT NULL,
    password_hash TEXT    NOT NULL,
    language      TEXT    NOT NULL,
    expires_at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sign_ups_by_end ON sign_ups (expires_at);
CREATE INDEX sign_ups_by_user ON sign_ups (user_id);

-- Invitations to sign up where sign-up is closed.
CREATE TABLE invitations (
    token      BLOB    PRIMARY KEY CHECK (length(token) = 32),
    email      TEXT    NOT NULL,
    invited_by INTEGER NOT NULL REFERENCES users,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    used_at    INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX invitations_by_end ON invitations (expires_at);

CREATE TABLE audit_log (
    id      INTEGER PRIMARY KEY,
    user_id INTEGER NOT NULL REFERENCES users, -- the user or merchant it concerns
    at      INTEGER NOT NULL,
    actor   TEXT    NOT NULL, -- e-mail address of the user who acted
    action  TEXT    NOT NULL,
    subject TEXT    NOT NULL, -- what was acted on
    detail  TEXT    NOT NULL,
    address TEXT    NOT NULL, -- IP address of the client
    personal INTEGER NOT NULL CHECK (personal IN (0, 1)) -- about the sign-in of the user: see audit.Personal
) STRICT;
CREATE INDEX audit_log_by_user ON audit_log (user_id, personal, id);

CREATE TRIGGER audit_log_no_update BEFORE UPDATE ON audit_log
WHEN (NEW.id, NEW.user_id, NEW.at, NEW.actor, NEW.action, NEW.address, NEW.personal) <>
    (OLD.id, OLD.user_id, OLD.at, OLD.actor, OLD.action, OLD.address, OLD.personal)
    OR NOT EXISTS (SELECT 1 FROM permits WHERE act = 'erase audit_log')
BEGIN
    SELECT RAISE(ABORT, 'audit_log is append-only');
END;
CREATE TRIGGER audit_log_no_early_drop BEFORE DELETE ON audit_log
WHEN NOT EXISTS (SELECT 1 FROM permits WHERE act = 'drop audit_log' AND OLD.at < older_than)
BEGIN
    SELECT RAISE(ABORT, 'audit_log is append-only');
END;

-- Search by prefix, byte by byte, with ASCII letters in lower case. Payments without a text, and accounts of the system,
-- are left out of these indexes to save space.
CREATE INDEX payments_by_reference ON payments (key_id, lower(reference COLLATE BINARY), created_at, id) WHERE reference <> '';
CREATE INDEX payments_by_customer ON payments (key_id, lower(customer_email COLLATE BINARY)) WHERE customer_email <> '';
-- Search by any word: the words of a key begin with its number, a k, a number of its payments' age and a w, so that a
-- search reads as much of the index as its page needs: see report.ageBits.
CREATE VIRTUAL TABLE payment_words USING fts5(words, content='', columnsize=0, detail=none, tokenize='ascii');
-- The words of an erased customer leave the file at once, not when segments are merged.
INSERT INTO payment_words (payment_words, rank) VALUES ('secure-delete', 1);
CREATE TRIGGER payments_index_words AFTER INSERT ON payments WHEN NEW.words <> ''
BEGIN
    INSERT INTO payment_words (rowid, words) VALUES (NEW.id, replace(' ' || NEW.words, ' ', ' ' || NEW.key_id || 'k' || (NEW.id >> 17) || 'w'));
END;
CREATE TRIGGER payments_change_words AFTER UPDATE OF words ON payments WHEN NEW.words <> OLD.words
BEGIN
    INSERT INTO payment_words (payment_words, rowid, words)
        VALUES ('delete', OLD.id, replace(' ' || OLD.words, ' ', ' ' || OLD.key_id || 'k' || (OLD.id >> 17) || 'w'));
    INSERT INTO payment_words (rowid, words) VALUES (NEW.id, replace(' ' || NEW.words, ' ', ' ' || NEW.key_id || 'k' || (NEW.id >> 17) || 'w'));
END;
CREATE INDEX ledger_by_giver ON ledger_entries (from_account, id) WHERE from_account <> 'issued';
CREATE INDEX ledger_by_taker ON ledger_entries (to_account, id) WHERE to_account <> 'spent';
-- -id, so that no planner walks the primary key instead.
CREATE INDEX deliveries_of_custodian ON deliveries (custodian_id, state, type, (-id));

-- Donation campaigns and payment links.

CREATE TABLE campaigns (
    id           INTEGER PRIMARY KEY,
    slug         TEXT    NOT NULL UNIQUE,
    key_id       INTEGER NOT NULL REFERENCES api_keys, -- pays for starts; its custodian receives
    title        TEXT    NOT NULL CHECK (title <> ''),
    description  TEXT    NOT NULL,
    goal         INTEGER NOT NULL CHECK (goal >= 0), -- USD micros; 0: none
    suggested    TEXT    NOT NULL,                   -- USD micros, separated by commas
    currency        TEXT    NOT NULL DEFAULT '', -- of price_goal and price_suggested, in its smallest unit; empty: US dollars
    price_goal      INTEGER NOT NULL DEFAULT 0 CHECK (price_goal = 0 OR price_goal > 0 AND currency <> ''),
    price_suggested TEXT    NOT NULL DEFAULT '', -- separated by commas
    state        TEXT    NOT NULL CHECK (state IN ('ACTIVE', 'PAUSED', 'ENDED')),
    show_at_once INTEGER NOT NULL,
    created_at   INTEGER NOT NULL,
    updated_at   INTEGER NOT NULL,
    ends_at      INTEGER
) STRICT;
CREATE INDEX campaigns_by_key ON campaigns (key_id, id);

-- One row for each donation that was completed, written with its payment. received is what the chain holds of it.
CREATE TABLE donations (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    payment_id  INTEGER NOT NULL UNIQUE REFERENCES payments,
    campaign_id INTEGER NOT NULL,
    received    INTEGER NOT NULL CHECK (received >= 0), -- USD micros
    worth       INTEGER NOT NULL DEFAULT 0, -- in the smallest unit of the price's currency, at its rate; 0: there is none
    review      TEXT    NOT NULL CHECK (review IN ('WAITING', 'APPROVED', 'HIDDEN'))
) STRICT;
CREATE INDEX donations_by_campaign ON donations (campaign_id, id, received, worth, review);

CREATE TABLE links (
    id          INTEGER PRIMARY KEY,
    slug        TEXT    NOT NULL UNIQUE,
    key_id      INTEGER NOT NULL REFERENCES api_keys,
    description TEXT    NOT NULL,
    reference   TEXT    NOT NULL,
    amount      INTEGER NOT NULL CHECK (amount >= 0), -- USD micros; 0: the payer chooses
    min_amount  INTEGER NOT NULL CHECK (min_amount >= 0),
    max_amount  INTEGER NOT NULL CHECK (max_amount >= 0),
    currency    TEXT    NOT NULL DEFAULT '', -- of a price in another currency; empty: there is none
    price       INTEGER NOT NULL DEFAULT 0 CHECK (price = 0 OR price > 0 AND currency <> ''), -- in its smallest unit; 0: the payer chooses
    paused      INTEGER NOT NULL,
    created_at  INTEGER NOT NULL
) STRICT;
CREATE INDEX links_by_key ON links (key_id, id);

-- Query units bought with a transfer: signed bytes are kept before they are broadcast.

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
    look_at      INTEGER,          -- NULL: not any more
    ended_at     INTEGER,
    CHECK ((state = 'SIGNED') = (ended_at IS NULL))
) STRICT;
-- One in flight per wallet, so that the transaction count on the chain is the next nonce.
CREATE UNIQUE INDEX recharges_signed ON recharges (wallet) WHERE state = 'SIGNED';
CREATE INDEX recharges_due ON recharges (look_at) WHERE look_at IS NOT NULL;
CREATE INDEX recharges_by_key ON recharges (key_id, id);

-- Several users work for one merchant, each in a role.

-- A merchant account is identified by the user who founded it; keys belong to that user.
CREATE TABLE memberships (
    merchant_id INTEGER NOT NULL REFERENCES users,
    user_id     INTEGER NOT NULL REFERENCES users,
    role        TEXT    NOT NULL CHECK (role IN ('owner', 'developer', 'support', 'viewer')),
    created_at  INTEGER NOT NULL,
    chosen_at   INTEGER NOT NULL, -- the next session of the user acts for the merchant chosen last
    news        TEXT    NOT NULL DEFAULT '', -- what they want to be notified of, separated by commas; -: nothing; empty: as the role has it
    PRIMARY KEY (merchant_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX memberships_by_user ON memberships (user_id, chosen_at);

CREATE TABLE team_invitations (
    id          INTEGER PRIMARY KEY,
    public_id   TEXT    NOT NULL UNIQUE,
    token       BLOB    NOT NULL UNIQUE CHECK (length(token) = 32), -- SHA-256; sending again replaces it
    merchant_id INTEGER NOT NULL REFERENCES users,
    email       TEXT    NOT NULL,
    role        TEXT    NOT NULL CHECK (role IN ('owner', 'developer', 'support', 'viewer')),
    invited_by  TEXT    NOT NULL, -- e-mail address
    created_at  INTEGER NOT NULL,
    expires_at  INTEGER NOT NULL,
    ended_at    INTEGER -- taken or revoked
) STRICT;
-- One open invitation for an address.
CREATE UNIQUE INDEX team_invitations_open ON team_invitations (merchant_id, email) WHERE ended_at IS NULL;

-- Passkeys (WebAuthn) and their challenges.

CREATE TABLE passkeys (
    public_id  TEXT NOT NULL PRIMARY KEY,
    credential BLOB NOT NULL UNIQUE CHECK (length(credential) BETWEEN 1 AND 1023),
    user_id    INTEGER NOT NULL REFERENCES users,
    name       TEXT NOT NULL,
    record     TEXT NOT NULL, -- sealed: public key, sign counter, flags
    created_at INTEGER NOT NULL,
    used_at    INTEGER
) STRICT;
CREATE INDEX passkeys_by_user ON passkeys (user_id);

-- Each is answered once, and only by the session (or, before sign-in, the sealed
-- cookie) it was made for.
CREATE TABLE passkey_challenges (
    holder     BLOB NOT NULL CHECK (length(holder) = 32), -- hash of the token of that session or cookie
    purpose    TEXT NOT NULL CHECK (purpose IN ('register', 'sign in', 'confirm')),
    state      TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (holder, purpose)
) STRICT;
CREATE INDEX passkey_challenges_by_end ON passkey_challenges (expires_at);

-- When a user was last warned of failed sign-ins.

CREATE TABLE guess_notices (
    user_id INTEGER NOT NULL PRIMARY KEY REFERENCES users,
    notified_at INTEGER NOT NULL
) STRICT;

-- Limits of guesses, and of mails that strangers can have sent, shared by all instances.

CREATE TABLE throttles (
    name     BLOB PRIMARY KEY CHECK (length(name) = 32), -- SHA-256 of what is limited
    whole_at INTEGER NOT NULL -- when the allowance is whole again
) STRICT, WITHOUT ROWID;
CREATE INDEX throttles_by_end ON throttles (whole_at);

-- Logos that merchants upload.

CREATE TABLE logos (
    custodian_id INTEGER PRIMARY KEY REFERENCES custodians,
    hash         TEXT NOT NULL CHECK (length(hash) = 64),
    kind         TEXT NOT NULL CHECK (kind IN ('png', 'jpg')),
    picture      BLOB NOT NULL CHECK (length(picture) BETWEEN 1 AND 500000),
    created_at   INTEGER NOT NULL
) STRICT;
CREATE INDEX logos_by_hash ON logos (hash);

-- Partial, since failed webhooks are few among millions of delivered ones.

CREATE INDEX deliveries_failed ON deliveries (custodian_id, due_at) WHERE state IN ('FAILED', 'STOPPED');

-- What operators search and list.

-- Search by prefix, byte by byte.
CREATE INDEX users_by_beginning ON users (email COLLATE BINARY);
CREATE INDEX api_keys_by_beginning ON api_keys (lower(label) COLLATE BINARY);

CREATE INDEX payments_topups ON payments (id) WHERE kind = 'TOPUP';
CREATE INDEX payments_reorged ON payments (id) WHERE reorged;

-- Up to which entry the ledger is proven, and what the accounts add up to there.
CREATE TABLE ledger_proofs (
    only_row   INTEGER PRIMARY KEY CHECK (only_row = 1),
    through_id INTEGER NOT NULL, -- 0: none is proven yet
    proven_at  INTEGER NOT NULL,
    next_id    INTEGER NOT NULL, -- the newest entry then; a smaller one may have been on its way
    next_at    INTEGER NOT NULL -- by the clock of the database
) STRICT;
CREATE TABLE ledger_proof_sums (
    unit    TEXT NOT NULL,
    account TEXT NOT NULL,
    balance INTEGER NOT NULL,
    PRIMARY KEY (unit, account)
) STRICT, WITHOUT ROWID;

-- The comparison of chains and database that has not come to its end, and how far it is.
CREATE TABLE reconciliations (
    only_row   INTEGER PRIMARY KEY CHECK (only_row = 1),
    started_at INTEGER NOT NULL,
    networks   TEXT NOT NULL, -- separated by commas
    payment_id INTEGER NOT NULL, -- of the last address that was compared, with its network
    network    TEXT NOT NULL,
    done       INTEGER NOT NULL CHECK (done >= 0), -- addresses
    found      INTEGER NOT NULL CHECK (found >= 0) -- differences
) STRICT;

-- How far the daily comparison of each network's balances with the records is. ended_at is NULL while it is under way.
CREATE TABLE comparisons (
    network    TEXT PRIMARY KEY,
    started_at INTEGER NOT NULL,
    ended_at   INTEGER,
    before_at  INTEGER, -- when the one before began
    payment_id INTEGER NOT NULL, -- the last that was compared
    done       INTEGER NOT NULL CHECK (done >= 0), -- addresses
    found      INTEGER NOT NULL CHECK (found >= 0), -- differences
    listed_id  INTEGER NOT NULL DEFAULT 0 -- the payment up to which all token accounts were asked for
) STRICT;

-- What it has found, until it is gone. proven_at is NULL while it may be money that is on its way into the records.
CREATE TABLE balance_differences (
    network      TEXT NOT NULL,
    address      BLOB NOT NULL,
    contract     BLOB NOT NULL, -- empty: none alone
    txnid        TEXT NOT NULL,
    text         TEXT NOT NULL, -- what differs
    advice       TEXT NOT NULL,
    unrecorded   INTEGER NOT NULL, -- money came that no deposit records
    since        INTEGER NOT NULL,
    block_number INTEGER NOT NULL, -- the newest when it was first seen as it is
    proven_at    INTEGER,
    rereads      INTEGER NOT NULL, -- how often the address was read again
    reread_at    INTEGER,
    next_at      INTEGER NOT NULL, -- when it is looked at again
    PRIMARY KEY (network, address, contract)
) STRICT;

-- The last ledger check. ended_at is NULL while it is requested or runs.
CREATE TABLE ledger_checks (
    only_row    INTEGER PRIMARY KEY CHECK (only_row = 1),
    asked_at    INTEGER NOT NULL,
    asked_by    TEXT NOT NULL, -- e-mail address
    ended_at    INTEGER,
    entries     INTEGER NOT NULL,
    differences TEXT NOT NULL, -- JSON list of the first differences, as sentences
    found       INTEGER NOT NULL, -- how many differences there were
    problem     TEXT NOT NULL  -- why the check could not run; empty: it did
) STRICT;

-- Payments of strangers that have not ended, and those that hold a credit, by when their page was last open.

CREATE INDEX payments_waiting ON payments (key_id) WHERE ended_at IS NULL AND started_at IS NOT NULL AND (campaign_id > 0 OR link_id > 0);
CREATE INDEX payments_held ON payments (attended_at) WHERE held;

-- A repeated request that replaced an API key gets its answer again.

CREATE TABLE retired_keys (
    hash       BLOB    PRIMARY KEY CHECK (length(hash) = 32), -- of the old key
    key_id     INTEGER NOT NULL REFERENCES api_keys,
    retired_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX retired_keys_by_age ON retired_keys (retired_at);

-- Merchant accounts whose owners locked where money goes.
CREATE TABLE wallet_locks (
    merchant_id INTEGER PRIMARY KEY REFERENCES users,
    since       INTEGER NOT NULL
) STRICT;

-- Changes of where money goes that wait, because the account is locked. They are kept when they have ended.
CREATE TABLE waiting_changes (
    id          INTEGER PRIMARY KEY,
    public_id   TEXT NOT NULL UNIQUE,
    token       BLOB NOT NULL UNIQUE CHECK (length(token) = 32), -- hash of what stops the change
    merchant_id INTEGER NOT NULL REFERENCES users,
    key_id      INTEGER REFERENCES api_keys, -- NULL: the change is about the account
    kind        TEXT NOT NULL CHECK (kind IN ('custodian', 'campaign', 'unlock', 'rights', 'role', 'removal', 'shown',
        'rotation', 'signing', 'paid')),
    subject     TEXT NOT NULL, -- slug of the campaign, public id of the member, txnid of the payment, or empty
    body        TEXT NOT NULL, -- sealed: the new settings
    changes     TEXT NOT NULL, -- JSON list of lines, with old and new
    author_id   INTEGER NOT NULL REFERENCES users, -- must still be an owner when it is made
    actor       TEXT NOT NULL, -- e-mail address
    created_at  INTEGER NOT NULL,
    due_at      INTEGER NOT NULL,
    next_at     INTEGER NOT NULL, -- when it is made, or tried again
    attempts    INTEGER NOT NULL DEFAULT 0, -- made in vain
    state       TEXT NOT NULL CHECK (state IN ('WAITING', 'MADE', 'STOPPED', 'FAILED')),
    ended_at    INTEGER
) STRICT;
CREATE INDEX waiting_changes_next ON waiting_changes (next_at) WHERE state = 'WAITING';
CREATE INDEX waiting_changes_due ON waiting_changes (due_at) WHERE state = 'WAITING';
CREATE INDEX waiting_changes_of_merchant ON waiting_changes (merchant_id) WHERE state = 'WAITING';

-- What operators are notified of. A row is a condition that holds, or held a moment ago.
CREATE TABLE operator_alerts (
    kind        TEXT        NOT NULL,
    subject     TEXT        NOT NULL,
    title       TEXT        NOT NULL,
    detail      TEXT        NOT NULL,
    advice      TEXT        NOT NULL,
    public      INTEGER NOT NULL,
    since       INTEGER NOT NULL,
    seen_at     INTEGER NOT NULL,
    notified_at INTEGER, -- NULL: it has not held for long enough
    PRIMARY KEY (kind, subject)
) STRICT;

-- Where news of a merchant are posted for a chat system.
CREATE TABLE chats (
    merchant_id INTEGER PRIMARY KEY REFERENCES users,
    url         TEXT    NOT NULL, -- sealed: whoever knows it can write there
    news        TEXT    NOT NULL
) STRICT;

-- Mails, and what the operator's webhook is to get, written with what they are about. They are sent as deliveries are.
CREATE TABLE mails (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    message_id TEXT    NOT NULL UNIQUE, -- the same in every attempt
    kind       TEXT    NOT NULL CHECK (kind IN ('PLAIN', 'ASKED', 'RESET', 'GUESSED', 'LOW', 'REFUSED', 'CROWDED',
        'COMPLETED', 'CUSTOMER', 'PAID', 'ATTENTION', 'CHAT', 'HOOK')),
    key_id     INTEGER REFERENCES api_keys, -- whose sales LOW, REFUSED, CROWDED, COMPLETED, PAID and ATTENTION are about
    recipient  TEXT    NOT NULL, -- e-mail address, or empty
    near       TEXT    NOT NULL DEFAULT '', -- the network (/24, /48) of the stranger who asked for it
    thread     TEXT    NOT NULL, -- what belongs together leaves in order; empty: alone
    subject    TEXT    NOT NULL,
    text       TEXT    NOT NULL, -- sealed; empty when it has ended
    receiver   INTEGER NOT NULL,
    state      TEXT    NOT NULL CHECK (state IN ('WAITING', 'DELIVERED', 'FAILED', 'STOPPED')),
    attempt    INTEGER NOT NULL, -- attempts made
    created_at INTEGER NOT NULL,
    due_at     INTEGER NOT NULL, -- while it is held: when the hold ends; when it has ended: since when
    holder     TEXT,
    error      TEXT    NOT NULL -- of the last attempt
) STRICT;
CREATE INDEX mails_due ON mails (due_at) WHERE state = 'WAITING';
CREATE INDEX mails_ended ON mails (due_at) WHERE state <> 'WAITING';
CREATE INDEX mails_asked ON mails (recipient, created_at) WHERE kind IN ('ASKED', 'RESET');
CREATE INDEX mails_of_key ON mails (key_id, kind, due_at) WHERE key_id IS NOT NULL;
-- One fall of a balance, or one refused sale, is enough for a mail.
CREATE UNIQUE INDEX mails_waiting_of_key ON mails (key_id, kind) WHERE state = 'WAITING' AND kind IN ('LOW', 'REFUSED', 'CROWDED');

-- Until when the TLS certificates of callbacks are valid.
CREATE TABLE callback_certificates (
    host       TEXT        PRIMARY KEY,
    expires_at INTEGER NOT NULL,
    seen_at    INTEGER NOT NULL -- to the day
) STRICT;

-- What the sources of rates of currencies have said last, for all instances that have the same sources: one of them asks,
-- and the others read it.
CREATE TABLE rates (
    sources  TEXT PRIMARY KEY, -- hash of the settings that say which sources there are
    began_at INTEGER NOT NULL, -- when an instance began to ask last
    read_at  INTEGER,          -- when that had ended; NULL: never yet
    body     TEXT NOT NULL     -- JSON
) STRICT;
