-- Reason: the schema of the first version.

-- The installation itself. key_check detects a wrong FLORIN_SECRET_KEY at start.
-- server is the PostgreSQL server that last ran it: see Store.Watches.
CREATE TABLE instance (
    only_row  boolean PRIMARY KEY DEFAULT TRUE CHECK (only_row),
    key_check text    NOT NULL, -- sealed
    server    text    NOT NULL,
    installation text NOT NULL, -- random: a mark of another installation is not compared
    generation bigint NOT NULL DEFAULT 0 CHECK (generation >= 0), -- when it was restored last, in seconds since 2026
    ticks     bigint  NOT NULL DEFAULT 0 CHECK (ticks >= 0), -- grows while it is served; the mark beside it follows
    home      text    NOT NULL DEFAULT '', -- where it was served: ids that pg_restore does not bring back; empty: nowhere, or SQLite
    timeline  text    NOT NULL DEFAULT '', -- of PostgreSQL's log when it was served: a recovery to a point in time begins another; empty: not known
    backed_up_at timestamptz -- the moment of the newest backup that florin backup has written; NULL: none
);

-- The migrations that were applied, and the oldest migration that a program must know to use the database after each.
CREATE TABLE schema_versions (
    name  text NOT NULL PRIMARY KEY,
    needs text NOT NULL,
    digest text NOT NULL -- of the text of the migration, to tell builds apart
);

CREATE TABLE users (
    id            bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    public_id     text        NOT NULL UNIQUE,
    email         text        NOT NULL UNIQUE, -- lower case
    first_name    text        NOT NULL,
    last_name     text        NOT NULL,
    password_hash text        NOT NULL,
    language      text        NOT NULL, -- of pages and mails, such as de; empty: never chosen
    operator      boolean     NOT NULL,
    created_at    timestamptz NOT NULL,
    verified_at timestamptz, -- NULL: the address was never shown to be the user's
    disabled_at timestamptz -- a disabled user cannot sign in, and none of their keys is accepted
);

CREATE TABLE sessions (
    token      bytea       PRIMARY KEY CHECK (octet_length(token) = 32),
    user_id    bigint      NOT NULL REFERENCES users,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    used_at    timestamptz NOT NULL, -- to the hour
    confirmed_at timestamptz, -- when its user re-authenticated last; NULL: not yet
    wrong      bigint NOT NULL DEFAULT 0, -- failed re-authentications since the last one that did not fail
    revoked_at timestamptz,
    user_agent text        NOT NULL,
    merchant_id bigint     REFERENCES users -- the merchant it acts for; NULL: the user belongs to none
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
    permissions  text        NOT NULL, -- names, separated by commas
    sources      text        NOT NULL, -- networks (CIDR) it may be used from, separated by spaces; empty: all
    confirmed    boolean     NOT NULL, -- made by the command line, or by an owner who re-authenticated
    currency     text        NOT NULL DEFAULT '', -- of its shop, by ISO 4217; empty: US dollars
    zone         text        NOT NULL DEFAULT '', -- time zone of its shop (IANA); empty: UTC
    created_at   timestamptz NOT NULL,
    last_used_at timestamptz,
    revoked_at   timestamptz,
    disabled_at timestamptz
);
CREATE INDEX api_keys_by_user ON api_keys (user_id);

-- The balance of each key: the sums of ledger_entries, kept in the same transaction. Many updates hit few rows, so
-- their pages have room for the next version of a row.
CREATE TABLE balances (
    key_id  bigint NOT NULL REFERENCES api_keys,
    unit    text   NOT NULL CHECK (unit IN ('credit', 'query')),
    balance bigint NOT NULL CHECK (balance >= 0),
    held    bigint NOT NULL DEFAULT 0 CHECK (held >= 0), -- for open payments of strangers
    PRIMARY KEY (key_id, unit)
) WITH (fillfactor = 50);

CREATE TABLE ledger_entries (
    id           bigint      GENERATED ALWAYS AS IDENTITY,
    count        bigint      NOT NULL CHECK (count > 0),
    at           timestamptz NOT NULL,
    ref          text        NOT NULL,
    unit         text        NOT NULL CHECK (unit IN ('credit', 'query')),
    from_account text        NOT NULL,
    to_account   text        NOT NULL CHECK (to_account <> from_account),
    reason       text        NOT NULL,
    PRIMARY KEY (ref, unit)
);

CREATE TABLE custodians (
    id               bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    public_id        text        NOT NULL UNIQUE,
    key_id           bigint      NOT NULL UNIQUE REFERENCES api_keys,
    name             text        NOT NULL,
    callback_url     text        NOT NULL,
    receiver         bigint      NOT NULL, -- hash of callback_url: deliveries to one receiver share its limits
    secret           text        NOT NULL, -- sealed
    signing_secrets  text        NOT NULL, -- JSON list of sealed texts, newest first
    tagline          text        NOT NULL,
    logo_url         text        NOT NULL,
    primary_color    text        NOT NULL,
    background_color text        NOT NULL,
    theme            text        NOT NULL,
    support_email    text        NOT NULL,
    website          text        NOT NULL,
    legal_name       text        NOT NULL DEFAULT '', -- as receipts name the seller
    legal_address    text        NOT NULL DEFAULT '',
    tax_id           text        NOT NULL DEFAULT '',
    short_basis      bigint      NOT NULL CHECK (short_basis BETWEEN 0 AND 10000),
    late_for_us      bigint      NOT NULL CHECK (late_for_us >= 0),
    keep_over        bigint      NOT NULL DEFAULT 0 CHECK (keep_over >= 0), -- USD micros
    repeats          boolean     NOT NULL, -- its references repeat by design: two paid payments of one are no mistake
    restarts         boolean     NOT NULL DEFAULT false, -- who let an order expire may start it again, as a new payment
    offer_refunds    boolean     NOT NULL DEFAULT FALSE, -- payers are offered back what came too much, too late or in another token
    pricing          text        NOT NULL DEFAULT '', -- JSON: what the merchant wants of rates; empty: nothing
    created_at       timestamptz NOT NULL,
    updated_at       timestamptz NOT NULL
);

CREATE TABLE custodian_wallets (
    custodian_id bigint NOT NULL REFERENCES custodians,
    network      text   NOT NULL,
    address      bytea  NOT NULL CHECK (length(address) > 0),
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

-- How long the money of a key may wait for others to share its transaction, where its merchant lets it wait longer than
-- the operator, and when the merchant last asked for it.
CREATE TABLE settlement_schedules (
    key_id   bigint NOT NULL PRIMARY KEY REFERENCES api_keys,
    at_once  bigint NOT NULL CHECK (at_once >= 0), -- USD micros; 0: the operator's
    wait_us  bigint NOT NULL CHECK (wait_us >= 0), -- 0: the operator's
    asked_at timestamptz
);

CREATE TABLE payments (
    id             bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY CHECK (id >= 1),
    key_id         bigint      NOT NULL REFERENCES api_keys,
    amount         bigint      NOT NULL CHECK (amount > 0), -- USD micros
    created_at     timestamptz NOT NULL,
    expires_at     timestamptz NOT NULL,
    started_at     timestamptz,
    ended_at       timestamptz,
    resumed_at     timestamptz,
    late_for_us    bigint      NOT NULL,
    keep_over      bigint      NOT NULL DEFAULT 0,
    rate_markup    bigint      NOT NULL DEFAULT 0 CHECK (rate_markup >= 0), -- hundredths of a per cent that the merchant adds
    price          bigint      NOT NULL DEFAULT 0, -- in the currency's smallest unit
    rate           bigint      NOT NULL DEFAULT 0, -- USD for one unit of the currency, in 1e-10
    rate_at        timestamptz,
    credits        bigint      NOT NULL CHECK (credits >= 0),
    credited       bigint      NOT NULL DEFAULT 0 CHECK (credited >= 0), -- by what a top-up received; its ledger entries add up to it
    seq            bigint      NOT NULL CHECK (seq > 0),
    resolved       bigint      NOT NULL CHECK (resolved BETWEEN 0 AND seq), -- its last event when its merchant resolved what needed attention
    asked          bigint      NOT NULL DEFAULT 0 CHECK (asked BETWEEN 0 AND seq), -- the event of the payer asking its merchant to accept what came; 0: never
    refunded       text NOT NULL DEFAULT '', -- what refunds take: NETWORK:CONTRACT:ARRIVED:OPEN, in the smallest units, separated by commas
    paid_back      bigint NOT NULL DEFAULT 0 CHECK (paid_back >= 0), -- what of refunded has arrived, in USD 1e-6; it finds the payment
    campaign_id    integer     NOT NULL,
    link_id        integer     NOT NULL DEFAULT 0, -- the payment link; 0: none
    short_basis    smallint    NOT NULL CHECK (short_basis BETWEEN 0 AND 10000),
    extended       boolean     NOT NULL,
    reorged        boolean     NOT NULL,
    by_hand        boolean     NOT NULL,
    held           boolean NOT NULL DEFAULT false, -- its credit is held
    unheld         boolean NOT NULL DEFAULT false, -- that was given back before its end
    near           text NOT NULL DEFAULT '', -- the network (/24, /48) of the stranger who started it, until it ends
    attended_at    timestamptz, -- when the page of a stranger's payment was last seen open
    public_id      text        NOT NULL UNIQUE,
    kind           text        NOT NULL,
    currency       text        NOT NULL DEFAULT '', -- of the price that the amount was made of; empty: it was given in dollars
    rate_sources   text        NOT NULL DEFAULT '', -- with commas between them
    status         text        NOT NULL CHECK (status IN ('PENDING', 'STARTED', 'COMPLETED', 'EXPIRED', 'CANCELLED')),
    network        text        NOT NULL, -- empty until started
    token          text        NOT NULL,
    hash           bytea       NOT NULL,
    duplicate_of   text        NOT NULL DEFAULT '', -- the payment of the same reference that was paid before
    lang           text        NOT NULL DEFAULT '', -- in which the payer last read its page; empty: in none
    attention      text        NOT NULL, -- why it needs its merchant; empty: it does not
    reference      text        NOT NULL,
    description    text        NOT NULL,
    success_url    text        NOT NULL,
    cancel_url     text        NOT NULL,
    metadata       text        NOT NULL, -- JSON object; empty: none
    customer_email text        NOT NULL,
    donor_name     text        NOT NULL,
    donor_message  text        NOT NULL,
    words          text        NOT NULL DEFAULT '', -- of the texts above and the metadata, with spaces between them: see payments_by_word
    CHECK ((status IN ('COMPLETED', 'EXPIRED', 'CANCELLED')) = (ended_at IS NOT NULL)),
    CHECK (status <> 'STARTED' OR (started_at IS NOT NULL AND network <> '')),
    CHECK (CASE WHEN currency = '' THEN price = 0 AND rate = 0 ELSE price > 0 AND rate > 0 AND rate_at IS NOT NULL END)
);
-- Lists of a key, newest first; a filter by status or network takes a few ranges of the second and merges them.
-- With what totals and bounds of the amount read.
CREATE INDEX payments_by_key ON payments (key_id, created_at, id) INCLUDE (kind, amount);
-- An expression, which no other index can serve: a planner that takes payments_by_key for a state that is rare among the
-- newest skips all of these.
CREATE INDEX payments_by_state ON payments ((CAST(key_id AS text) || substr(status, 1, 2) || substr(network, 1, 2)), created_at, id);
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
    key_id   bigint NOT NULL REFERENCES api_keys,
    day      bigint NOT NULL, -- of UTC, since 1970: the sums of days are read in the order of the key, without sorting
    quarter  bigint NOT NULL, -- whole quarters of an hour since 1970
    network  text   NOT NULL,
    currency text   NOT NULL, -- in which they were priced; empty: US dollars
    payments bigint NOT NULL,
    volume   bigint NOT NULL, -- USD micros
    price    bigint NOT NULL, -- in the currency's smallest unit; 0: US dollars
    PRIMARY KEY (key_id, day, network, currency, quarter)
);

CREATE TABLE routes (
    id         bigint      GENERATED ALWAYS AS IDENTITY,
    payment_id bigint      NOT NULL REFERENCES payments,
    since      timestamptz NOT NULL,
    xact       bigint      NOT NULL DEFAULT pg_current_xact_id()::text::bigint, -- the transaction that stored it: see Store.Watches
    scheme     smallint    NOT NULL CHECK (scheme > 0), -- chain.AddressScheme: by which rule the address derives
    network    text        NOT NULL,
    address    bytea NOT NULL, -- searched by prefix
    raw        bytea       NOT NULL,
    settlement bytea       NOT NULL,
    tokens     text        NOT NULL, -- separated by commas, in order of choice
    finality   text        NOT NULL DEFAULT '', -- empty: the network's own rule
    also       text        NOT NULL DEFAULT '', -- other networks where money counts, as NETWORK.TOKEN
    PRIMARY KEY (payment_id, network),
    UNIQUE (address, network)
);
CREATE INDEX routes_by_xact ON routes (xact, id);

-- A transfer belongs to one payment. Its key leaves out the block, which a reorg may change, and has the recipient and
-- the contract, which a transaction can make depend on the block.
CREATE TABLE deposits (
    id           bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    payment_id   bigint      NOT NULL REFERENCES payments,
    key_id       bigint      NOT NULL,
    block_number bigint      NOT NULL CHECK (block_number >= 0),
    block_time   timestamptz,
    seen_at      timestamptz NOT NULL,
    final_at     timestamptz,
    swept_at     timestamptz,
    folded_through bigint NOT NULL DEFAULT 0, -- the last block whose transfers it holds
    ordinal      integer     NOT NULL,
    decimals     integer     NOT NULL,
    folded         integer     NOT NULL DEFAULT 0, -- how many small transfers it stands for; 0: it is one transfer
    rechecked    boolean     NOT NULL,
    late         boolean     NOT NULL,
    network      text        NOT NULL,
    tx_hash      bytea NOT NULL, -- searched by prefix
    contract     bytea       NOT NULL,
    symbol       text        NOT NULL,
    token        text        NOT NULL,
    from_address bytea       NOT NULL,
    to_address   bytea       NOT NULL,
    units        text        NOT NULL, -- whole number of the token's smallest unit
    block_hash   bytea       NOT NULL,
    account      bytea       NOT NULL DEFAULT '', -- Solana: the token account it came to; empty: the associated one
    source       text        NOT NULL,
    state        text        NOT NULL CHECK (state IN ('SEEN', 'FINAL', 'VANISHED')),
    UNIQUE (network, tx_hash, ordinal, to_address, contract)
);
CREATE INDEX deposits_by_payment ON deposits (payment_id);
CREATE INDEX deposits_unsettled ON deposits (network, state, block_number, payment_id) WHERE NOT rechecked AND state <> 'VANISHED';
CREATE INDEX deposits_unswept ON deposits (key_id, payment_id) WHERE swept_at IS NULL AND state <> 'VANISHED';

-- Money that a merchant pays back from a wallet of his own.
CREATE TABLE refunds (
    id         bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    payment_id bigint      NOT NULL REFERENCES payments,
    scanned    bigint      NOT NULL CHECK (scanned >= 0), -- the block up to which its address was read; 0: not yet
    others     text        NOT NULL, -- transfers of other amounts to its address, as JSON
    created_at timestamptz NOT NULL,
    address_at timestamptz,
    asked_at   timestamptz, -- when the merchant's wallet was asked to send it
    final_at   timestamptz,
    decimals   integer     NOT NULL,
    ordinal    integer     NOT NULL, -- of the transfer that settled it, in its transaction
    proven     boolean     NOT NULL, -- the wallet that paid has signed for it
    public_id  text        NOT NULL UNIQUE,
    network    text        NOT NULL,
    contract   bytea       NOT NULL,
    symbol     text        NOT NULL,
    token      text        NOT NULL,
    units      text        NOT NULL, -- whole number of the token's smallest unit
    reason     text        NOT NULL,
    status     text        NOT NULL CHECK (status IN ('REQUESTED', 'ADDRESS_GIVEN', 'SENT', 'FINAL', 'CANCELLED')),
    address    bytea       NOT NULL, -- empty until the payer gave it
    raw        bytea,
    hash       bytea       NOT NULL, -- the transaction; empty until it is known
    CHECK ((status = 'FINAL') = (final_at IS NOT NULL)),
    CHECK (status NOT IN ('ADDRESS_GIVEN', 'SENT', 'FINAL') OR length(address) > 0)
);
CREATE INDEX refunds_by_payment ON refunds (payment_id);
CREATE INDEX refunds_awaited ON refunds (network, address) WHERE status IN ('ADDRESS_GIVEN', 'SENT');
CREATE INDEX refunds_by_address ON refunds (network, address) WHERE length(address) > 0;
-- A transfer settles one refund.
CREATE UNIQUE INDEX refunds_by_transfer ON refunds (network, hash, ordinal) WHERE status = 'FINAL';

-- What could not be read for one payment is set aside, so that it holds up no other, and is read again from from_number on.
CREATE TABLE set_aside (
    payment_id  bigint      NOT NULL REFERENCES payments,
    network     text        NOT NULL,
    from_number bigint      NOT NULL,
    since       timestamptz NOT NULL,
    attempts    bigint      NOT NULL,
    next_at     timestamptz NOT NULL,
    reason      text        NOT NULL,
    accounts    text        NOT NULL DEFAULT '', -- token accounts to be read, too, separated by commas
    shown       text        NOT NULL DEFAULT '', -- transfers that are not recorded, as JSON
    PRIMARY KEY (network, payment_id)
);

CREATE TABLE events (
    payment_id bigint      NOT NULL REFERENCES payments,
    seq        bigint      NOT NULL CHECK (seq > 0),
    at         timestamptz NOT NULL,
    type       text        NOT NULL,
    data       bytea   NOT NULL, -- JSON, byte for byte as it is delivered
    PRIMARY KEY (payment_id, seq)
);

-- The public events of a key in the order of GET /events. An event gets its position when it is first read, after its
-- transaction has committed, so no reader ever sees an event before the end of what it has read.
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

-- The last position of each key whose event was dropped because its retention had ended: positions go on after it, and
-- a reader that is before it has missed something.
CREATE TABLE feed_dropped (
    key_id   bigint PRIMARY KEY REFERENCES api_keys,
    position bigint NOT NULL CHECK (position > 0)
);

-- The outbox: one row for each public event of a custodian with a callback URL, written with the event.
CREATE TABLE deliveries (
    id           bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    payment_id   bigint      NOT NULL,
    seq          bigint      NOT NULL,
    custodian_id bigint      NOT NULL REFERENCES custodians,
    receiver     bigint      NOT NULL,
    due_at       timestamptz NOT NULL, -- while it is held: when the hold ends
    attempt      integer     NOT NULL, -- attempts made
    replayed     boolean     NOT NULL DEFAULT FALSE, -- the receiver may know it from the time that a restore lost
    type         text        NOT NULL, -- of the event
    state        text        NOT NULL CHECK (state IN ('WAITING', 'DELIVERED', 'FAILED', 'STOPPED', 'OVERTAKEN')),
    holder       text,
    UNIQUE (payment_id, seq),
    FOREIGN KEY (payment_id, seq) REFERENCES events (payment_id, seq)
) WITH (fillfactor = 80);
CREATE INDEX deliveries_by_receiver ON deliveries (receiver, due_at) WHERE state = 'WAITING';
CREATE INDEX deliveries_due ON deliveries (due_at) WHERE state = 'WAITING';
CREATE INDEX deliveries_held ON deliveries (receiver, due_at) WHERE holder IS NOT NULL;

CREATE TABLE delivery_attempts (
    delivery_id bigint      NOT NULL REFERENCES deliveries,
    at          timestamptz NOT NULL,
    latency_us  bigint      NOT NULL,
    attempt     integer     NOT NULL, -- from 1
    status      integer     NOT NULL, -- HTTP status; 0: no answer
    keyed       boolean     NOT NULL, -- the body had the secret in it; the rest of the body is the data of the event
    url         text        NOT NULL,
    error       text        NOT NULL,
    response    text        NOT NULL,
    request     text        NOT NULL, -- first line and headers
    PRIMARY KEY (delivery_id, attempt)
);

CREATE TABLE cursors (
    network         text        PRIMARY KEY,
    scanned_number  bigint      NOT NULL,
    scanned_hash    text        NOT NULL,
    scanned_time    timestamptz,
    rechecked_number bigint      NOT NULL,
    rechecked_hash   text        NOT NULL,
    rechecked_time   timestamptz,
    second_number    bigint      NOT NULL DEFAULT 0, -- up to this block it was read through as many endpoints as must say the same
    second_time      timestamptz,
    behind_since    timestamptz,
    updated_at      timestamptz,
    restored_number bigint      NOT NULL DEFAULT 0, -- where it was first read on after the last restore; 0: never restored
    restored_at     timestamptz,
    replaying       boolean     NOT NULL DEFAULT FALSE, -- restored, and not read to its end yet
    moves           bigint      NOT NULL DEFAULT 0, -- how often an operator moved it: a round that began before stores nothing
    reread_to       bigint      NOT NULL DEFAULT 0, -- up to this block every address there ever was is read
    pause_ms        bigint      NOT NULL DEFAULT 0, -- how long the network may go unread after updated_at by its pace
    ended_number    bigint      NOT NULL DEFAULT 0  -- up to this block every address is read, also those of ended payments
);

-- How often the endpoints were called, by day (UTC) and by all instances: the budget of a day, and the bill of a month.
CREATE TABLE rpc_calls (
    day      text   NOT NULL,
    network  text   NOT NULL,
    endpoint text   NOT NULL, -- host and port
    method   text   NOT NULL,
    calls    bigint NOT NULL CHECK (calls > 0),
    PRIMARY KEY (day, network, endpoint, method)
);

-- Until when somebody looks at a payment with an address on the network: pages of every instance raise the pace of the
-- one that reads.
CREATE TABLE presence (
    network text        PRIMARY KEY,
    until   timestamptz NOT NULL
);

-- Payments that ended and whose page was open of late: their addresses are read as those of open ones.
CREATE TABLE looks (
    payment_id bigint      PRIMARY KEY,
    network    text        NOT NULL,
    at         timestamptz NOT NULL
);

CREATE TABLE leases (
    name   text        PRIMARY KEY,
    holder text        NOT NULL,
    until  timestamptz NOT NULL
);

-- Answers to writes with an Idempotency-Key. subject is the public id of what the write creates, chosen before the
-- first attempt, so that a second attempt creates the same thing.
CREATE TABLE idempotency (
    key_id       bigint      NOT NULL, -- of api_keys; 0: the request signs a user up
    key          text        NOT NULL CHECK (length(key) BETWEEN 1 AND 255),
    scope        text        NOT NULL, -- what callers without the API key share; empty: they have it
    request      bytea       NOT NULL CHECK (octet_length(request) = 32),
    subject      text        NOT NULL,
    holder       text        NOT NULL, -- the try that has the request
    status       bigint      NOT NULL, -- 0 until it is finished
    answer       bytea, -- sealed
    created_at   timestamptz NOT NULL,
    finished_at  timestamptz,
    locked_until timestamptz NOT NULL,
    PRIMARY KEY (key_id, key)
);
CREATE INDEX idempotency_by_age ON idempotency (created_at);
CREATE INDEX idempotency_by_scope ON idempotency (key_id, scope, created_at) WHERE scope <> '';

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END
$$;
CREATE TRIGGER ledger_entries_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_entries
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
-- What may be done to append-only tables: rows exist only inside the transaction that does it.
CREATE TABLE permits (
    act        text        PRIMARY KEY, -- 'drop events', 'drop audit_log' or 'erase audit_log'
    older_than timestamptz NOT NULL -- rows of before may be dropped
);
CREATE FUNCTION refuse_early_drop() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM permits WHERE act = 'drop ' || TG_TABLE_NAME AND OLD.at < older_than) THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END
$$;
CREATE TRIGGER events_no_truncate BEFORE TRUNCATE ON events FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER events_no_early_drop BEFORE DELETE ON events FOR EACH ROW EXECUTE FUNCTION refuse_early_drop();

-- The payments whose payer is being forgotten: rows exist only inside that transaction, which may change what their
-- events say.
CREATE TABLE erasures (
    payment_id bigint PRIMARY KEY REFERENCES payments
);
CREATE FUNCTION refuse_event_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.payment_id, NEW.seq, NEW.type, NEW.at) = (OLD.payment_id, OLD.seq, OLD.type, OLD.at)
        AND EXISTS (SELECT 1 FROM erasures WHERE payment_id = OLD.payment_id) THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'events is append-only' USING ERRCODE = 'restrict_violation';
END
$$;
CREATE TRIGGER events_no_update BEFORE UPDATE ON events FOR EACH ROW EXECUTE FUNCTION refuse_event_change();

-- Settlement: sweeps, what they cost, and the balance of each deposit address.

CREATE TABLE sweeps (
    id           bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    public_id    text        NOT NULL UNIQUE,
    network      text        NOT NULL,
    state        text        NOT NULL CHECK (state IN ('PLANNED', 'SIGNED', 'SENT', 'CONFIRMED', 'FAILED', 'SUPERSEDED')),
    created_at   timestamptz NOT NULL,
    ended_at     timestamptz,
    tx_hash      text        NOT NULL, -- of the final transaction; empty: none
    block_number bigint      NOT NULL,
    block_hash   text        NOT NULL,
    block_time   timestamptz,
    paid         text        NOT NULL, -- native coin's smallest unit
    moved        bigint      NOT NULL, -- how many deposit balances it moved
    note         text        NOT NULL,
    CHECK ((state IN ('CONFIRMED', 'FAILED', 'SUPERSEDED')) = (ended_at IS NOT NULL))
);
CREATE INDEX sweeps_in_flight ON sweeps (network) WHERE ended_at IS NULL;
CREATE UNIQUE INDEX sweeps_by_tx ON sweeps (network, tx_hash) WHERE tx_hash <> '';
CREATE INDEX sweeps_ended ON sweeps (network, ended_at) WHERE ended_at IS NOT NULL;

-- What the sweeps in flight hold until they end: an address is in one of them, and a nonce of a gas wallet is of one.
CREATE TABLE sweep_claims (
    network  text NOT NULL,
    address  bytea NOT NULL,
    sweep_id bigint NOT NULL REFERENCES sweeps,
    PRIMARY KEY (network, address)
);
CREATE INDEX sweep_claims_by_sweep ON sweep_claims (sweep_id);
CREATE TABLE sweep_nonces (
    network  text NOT NULL,
    signer   text NOT NULL, -- the gas wallet
    nonce    bigint NOT NULL,
    sweep_id bigint NOT NULL REFERENCES sweeps,
    PRIMARY KEY (network, signer, nonce)
);
CREATE INDEX sweep_nonces_by_sweep ON sweep_nonces (sweep_id);

-- txnid, raw and settlement are empty where the payment's route on the network of the sweep has them.
-- A balance is in a sweep once: items are inserted by the transaction that made or locked their sweep, which checks them.
-- A unique index, as SQLite has, would take 65 bytes an item for ever.
CREATE TABLE sweep_items (
    id         bigint  GENERATED ALWAYS AS IDENTITY,
    sweep_id   bigint  NOT NULL REFERENCES sweeps,
    payment_id bigint  REFERENCES payments, -- NULL: a payment of a lost database, swept by its txnid
    scheme     integer NOT NULL CHECK (scheme > 0),
    decimals   integer NOT NULL,
    rescue     boolean NOT NULL,
    txnid      text    NOT NULL,
    address    bytea   NOT NULL,
    raw        bytea   NOT NULL,
    settlement bytea   NOT NULL,
    contract   bytea   NOT NULL, -- empty: the native coin
    symbol     text    NOT NULL,
    token      text    NOT NULL,
    expected   text    NOT NULL,
    accounts   text    NOT NULL DEFAULT '', -- token accounts that are emptied, too, separated by commas
    moved      text, -- NULL: nothing
    reason     text    NOT NULL, -- why it could not be moved
    PRIMARY KEY (sweep_id, id)
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

-- The deposit balance of one address in one asset: what sweeps moved from it.
CREATE TABLE deposit_balances (
    payment_id    bigint      NOT NULL REFERENCES payments,
    through       bigint      NOT NULL, -- block of the last sweep that moved money
    blocked_until timestamptz,
    failures      integer     NOT NULL,
    ahead         boolean     NOT NULL, -- moved is more than marked
    network       text        NOT NULL,
    address       bytea       NOT NULL,
    contract      bytea       NOT NULL,
    moved         text        NOT NULL, -- all that left the address
    marked        text        NOT NULL, -- of which for deposits marked as swept
    found         text        NOT NULL, -- of which was moved by hand and belongs to no deposit
    reason        text        NOT NULL,
    PRIMARY KEY (network, address, contract)
);
CREATE INDEX deposit_balances_ahead ON deposit_balances (network) WHERE ahead;

CREATE INDEX deposits_to_sweep ON deposits (network, final_at) WHERE swept_at IS NULL AND state = 'FINAL';

-- The merchant's dashboard: second factors, password resets, invitations, the audit log.

CREATE TABLE second_factors (
    user_id      bigint      PRIMARY KEY REFERENCES users,
    secret       text        NOT NULL, -- sealed
    created_at   timestamptz NOT NULL,
    confirmed_at timestamptz,          -- NULL: shown, but not in force
    last_step    bigint      NOT NULL, -- time step of the last code taken: each counts once
    session bytea -- hash of the token of the session that sets it up: the secret is shown to no other
);

CREATE TABLE recovery_codes (
    user_id bigint NOT NULL REFERENCES users,
    hash    bytea  NOT NULL CHECK (octet_length(hash) = 32),
    used_at timestamptz,
    PRIMARY KEY (user_id, hash)
);

CREATE TABLE password_resets (
    token      bytea       PRIMARY KEY CHECK (octet_length(token) = 32),
    user_id    bigint      NOT NULL REFERENCES users,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    used_at    timestamptz
);
CREATE INDEX password_resets_by_user ON password_resets (user_id);
CREATE INDEX password_resets_by_end ON password_resets (expires_at);

-- Sign-ups whose address is not verified yet.
CREATE TABLE sign_ups (
    token         bytea   PRIMARY KEY CHECK (octet_length(token) = 32),
    user_id       bigint NOT NULL, -- the user to verify; 0: one to create
    public_id     TEXT    NOT NULL,
    email         TEXT    NOT NULL,
    first_name    TEXT    NOT NULL,
    last_name     TEXT    NOT NULL,
    password_hash TEXT    NOT NULL,
    language      TEXT    NOT NULL,
    expires_at    timestamptz NOT NULL
);
CREATE INDEX sign_ups_by_end ON sign_ups (expires_at);
CREATE INDEX sign_ups_by_user ON sign_ups (user_id);

-- Invitations to sign up where sign-up is closed.
CREATE TABLE invitations (
    token      bytea       PRIMARY KEY CHECK (octet_length(token) = 32),
    email      text        NOT NULL,
    invited_by bigint      NOT NULL REFERENCES users,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    used_at    timestamptz
);
CREATE INDEX invitations_by_end ON invitations (expires_at);

CREATE TABLE audit_log (
    id      bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id bigint      NOT NULL REFERENCES users, -- the user or merchant it concerns
    at      timestamptz NOT NULL,
    actor   text        NOT NULL, -- e-mail address of the user who acted
    action  text        NOT NULL,
    subject text        NOT NULL, -- what was acted on
    detail  text        NOT NULL,
    address text        NOT NULL, -- IP address of the client
    personal boolean    NOT NULL  -- about the sign-in of the user: see audit.Personal
);
CREATE INDEX audit_log_by_user ON audit_log (user_id, personal, id);
CREATE TRIGGER audit_log_no_truncate BEFORE TRUNCATE ON audit_log FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_log_no_early_drop BEFORE DELETE ON audit_log FOR EACH ROW EXECUTE FUNCTION refuse_early_drop();
CREATE FUNCTION refuse_entry_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.id, NEW.user_id, NEW.at, NEW.actor, NEW.action, NEW.address, NEW.personal) =
        (OLD.id, OLD.user_id, OLD.at, OLD.actor, OLD.action, OLD.address, OLD.personal)
        AND EXISTS (SELECT 1 FROM permits WHERE act = 'erase audit_log') THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'audit_log is append-only' USING ERRCODE = 'restrict_violation';
END
$$;
CREATE TRIGGER audit_log_no_update BEFORE UPDATE ON audit_log FOR EACH ROW EXECUTE FUNCTION refuse_entry_change();

-- Search by prefix, byte by byte, with ASCII letters in lower case. Payments without a text, and accounts of the system,
-- are left out of these indexes to save space.
CREATE INDEX payments_by_reference ON payments (key_id, lower(reference COLLATE "C"), created_at, id) WHERE reference <> '';
CREATE INDEX payments_by_customer ON payments (key_id, lower(customer_email COLLATE "C")) WHERE customer_email <> '';
-- Search by any word: the words of a key begin with its number, a k, a number of its payments' age and a w, so that a
-- search reads as much of the index as its page needs: see report.ageBits. What waits to be merged into the index is read
-- by each search.
CREATE INDEX payments_by_word ON payments USING gin (
    array_to_tsvector(string_to_array(substr(replace(' ' || words, ' ', ' ' || key_id::text || 'k' || (id >> 17)::text || 'w'), 2), ' '))
) WITH (gin_pending_list_limit = 512) WHERE words <> '';
CREATE INDEX ledger_by_giver ON ledger_entries (from_account, id) WHERE from_account <> 'issued';
CREATE INDEX ledger_by_taker ON ledger_entries (to_account, id) WHERE to_account <> 'spent';
-- -id, so that no planner walks the primary key instead.
CREATE INDEX deliveries_of_custodian ON deliveries (custodian_id, state, type, (-id));

-- Donation campaigns and payment links.

CREATE TABLE campaigns (
    id           bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    slug         text    NOT NULL UNIQUE,
    key_id       bigint  NOT NULL REFERENCES api_keys, -- pays for starts; its custodian receives
    title        text    NOT NULL CHECK (title <> ''),
    description  text    NOT NULL,
    goal         bigint  NOT NULL CHECK (goal >= 0), -- USD micros; 0: none
    suggested    text    NOT NULL,                   -- USD micros, separated by commas
    currency        text    NOT NULL DEFAULT '', -- of price_goal and price_suggested, in its smallest unit; empty: US dollars
    price_goal      bigint  NOT NULL DEFAULT 0 CHECK (price_goal = 0 OR price_goal > 0 AND currency <> ''),
    price_suggested text    NOT NULL DEFAULT '', -- separated by commas
    state        text    NOT NULL CHECK (state IN ('ACTIVE', 'PAUSED', 'ENDED')),
    show_at_once boolean NOT NULL,
    created_at   timestamptz NOT NULL,
    updated_at   timestamptz NOT NULL,
    ends_at      timestamptz
);
CREATE INDEX campaigns_by_key ON campaigns (key_id, id);

-- One row for each donation that was completed, written with its payment. received is what the chain holds of it.
CREATE TABLE donations (
    id          bigint  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    payment_id  bigint  NOT NULL UNIQUE REFERENCES payments,
    campaign_id bigint  NOT NULL,
    received    bigint  NOT NULL CHECK (received >= 0), -- USD micros
    worth       bigint  NOT NULL DEFAULT 0, -- in the smallest unit of the price's currency, at its rate; 0: there is none
    review      text    NOT NULL CHECK (review IN ('WAITING', 'APPROVED', 'HIDDEN'))
);
CREATE INDEX donations_by_campaign ON donations (campaign_id, id, received, worth, review);

CREATE TABLE links (
    id          bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    slug        text    NOT NULL UNIQUE,
    key_id      bigint  NOT NULL REFERENCES api_keys,
    description text    NOT NULL,
    reference   text    NOT NULL,
    amount      bigint  NOT NULL CHECK (amount >= 0), -- USD micros; 0: the payer chooses
    min_amount  bigint  NOT NULL CHECK (min_amount >= 0),
    max_amount  bigint  NOT NULL CHECK (max_amount >= 0),
    price       bigint  NOT NULL DEFAULT 0 CHECK (price >= 0), -- in another currency, in its smallest unit; 0: the payer chooses
    currency    text    NOT NULL DEFAULT '' CHECK (price = 0 OR currency <> ''), -- empty: the link is in US dollars
    paused      boolean NOT NULL,
    created_at  timestamptz NOT NULL
);
CREATE INDEX links_by_key ON links (key_id, id);

-- Query units bought with a transfer: signed bytes are kept before they are broadcast.

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
    look_at      timestamptz,          -- NULL: not any more
    ended_at     timestamptz,
    CHECK ((state = 'SIGNED') = (ended_at IS NULL))
);
-- One in flight per wallet, so that the transaction count on the chain is the next nonce.
CREATE UNIQUE INDEX recharges_signed ON recharges (wallet) WHERE state = 'SIGNED';
CREATE INDEX recharges_due ON recharges (look_at) WHERE look_at IS NOT NULL;
CREATE INDEX recharges_by_key ON recharges (key_id, id);

-- Several users work for one merchant, each in a role.

-- A merchant account is identified by the user who founded it; keys belong to that user.
CREATE TABLE memberships (
    merchant_id bigint      NOT NULL REFERENCES users,
    user_id     bigint      NOT NULL REFERENCES users,
    role        text        NOT NULL CHECK (role IN ('owner', 'developer', 'support', 'viewer')),
    created_at  timestamptz NOT NULL,
    chosen_at   timestamptz NOT NULL, -- the next session of the user acts for the merchant chosen last
    news        text        NOT NULL DEFAULT '', -- what they want to be notified of, separated by commas; -: nothing; empty: as the role has it
    PRIMARY KEY (merchant_id, user_id)
);
CREATE INDEX memberships_by_user ON memberships (user_id, chosen_at);

CREATE TABLE team_invitations (
    id          bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    public_id   text        NOT NULL UNIQUE,
    token       bytea       NOT NULL UNIQUE CHECK (octet_length(token) = 32), -- SHA-256; sending again replaces it
    merchant_id bigint      NOT NULL REFERENCES users,
    email       text        NOT NULL,
    role        text        NOT NULL CHECK (role IN ('owner', 'developer', 'support', 'viewer')),
    invited_by  text        NOT NULL, -- e-mail address
    created_at  timestamptz NOT NULL,
    expires_at  timestamptz NOT NULL,
    ended_at    timestamptz -- taken or revoked
);
-- One open invitation for an address.
CREATE UNIQUE INDEX team_invitations_open ON team_invitations (merchant_id, email) WHERE ended_at IS NULL;

-- Passkeys (WebAuthn) and their challenges.

CREATE TABLE passkeys (
    public_id  text NOT NULL PRIMARY KEY,
    credential bytea NOT NULL UNIQUE CHECK (octet_length(credential) BETWEEN 1 AND 1023),
    user_id    bigint NOT NULL REFERENCES users,
    name       text NOT NULL,
    record     text NOT NULL, -- sealed: public key, sign counter, flags
    created_at timestamptz NOT NULL,
    used_at    timestamptz
);
CREATE INDEX passkeys_by_user ON passkeys (user_id);

-- Each is answered once, and only by the session (or, before sign-in, the sealed
-- cookie) it was made for.
CREATE TABLE passkey_challenges (
    holder     bytea NOT NULL CHECK (octet_length(holder) = 32), -- hash of the token of that session or cookie
    purpose    text NOT NULL CHECK (purpose IN ('register', 'sign in', 'confirm')),
    state      text NOT NULL,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (holder, purpose)
);
CREATE INDEX passkey_challenges_by_end ON passkey_challenges (expires_at);

-- When a user was last warned of failed sign-ins.

CREATE TABLE guess_notices (
    user_id bigint NOT NULL PRIMARY KEY REFERENCES users,
    notified_at timestamptz NOT NULL
);

-- Limits of guesses, and of mails that strangers can have sent, shared by all instances.

CREATE TABLE throttles (
    name     bytea PRIMARY KEY CHECK (octet_length(name) = 32), -- SHA-256 of what is limited
    whole_at timestamptz NOT NULL -- when the allowance is whole again
);
CREATE INDEX throttles_by_end ON throttles (whole_at);

-- Logos that merchants upload.

CREATE TABLE logos (
    custodian_id bigint PRIMARY KEY REFERENCES custodians,
    hash         text NOT NULL CHECK (length(hash) = 64),
    kind         text NOT NULL CHECK (kind IN ('png', 'jpg')),
    picture      bytea NOT NULL CHECK (octet_length(picture) BETWEEN 1 AND 500000),
    created_at   timestamptz NOT NULL
);
CREATE INDEX logos_by_hash ON logos (hash);

-- Partial, since failed webhooks are few among millions of delivered ones.

CREATE INDEX deliveries_failed ON deliveries (custodian_id, due_at) WHERE state IN ('FAILED', 'STOPPED');

-- What operators search and list.

-- Search by prefix, byte by byte.
CREATE INDEX users_by_beginning ON users (email COLLATE "C");
CREATE INDEX api_keys_by_beginning ON api_keys (lower(label) COLLATE "C");

CREATE INDEX payments_topups ON payments (id) WHERE kind = 'TOPUP';
CREATE INDEX payments_reorged ON payments (id) WHERE reorged;

-- Up to which entry the ledger is proven, and what the accounts add up to there.
CREATE TABLE ledger_proofs (
    only_row   bigint PRIMARY KEY CHECK (only_row = 1),
    through_id bigint NOT NULL, -- 0: none is proven yet
    proven_at  timestamptz NOT NULL,
    next_id    bigint NOT NULL, -- the newest entry then; a smaller one may have been on its way
    next_at    timestamptz NOT NULL -- by the clock of the database
);
CREATE TABLE ledger_proof_sums (
    unit    text NOT NULL,
    account text NOT NULL,
    balance bigint NOT NULL,
    PRIMARY KEY (unit, account)
);
CREATE INDEX ledger_by_number ON ledger_entries USING brin (id);

-- The comparison of chains and database that has not come to its end, and how far it is.
CREATE TABLE reconciliations (
    only_row   bigint PRIMARY KEY CHECK (only_row = 1),
    started_at timestamptz NOT NULL,
    networks   text NOT NULL, -- separated by commas
    payment_id bigint NOT NULL, -- of the last address that was compared, with its network
    network    text NOT NULL,
    done       bigint NOT NULL CHECK (done >= 0), -- addresses
    found      bigint NOT NULL CHECK (found >= 0) -- differences
);

-- How far the daily comparison of each network's balances with the records is. ended_at is NULL while it is under way.
CREATE TABLE comparisons (
    network    text PRIMARY KEY,
    started_at timestamptz NOT NULL,
    ended_at   timestamptz,
    before_at  timestamptz, -- when the one before began
    payment_id bigint NOT NULL, -- the last that was compared
    done       bigint NOT NULL CHECK (done >= 0), -- addresses
    found      bigint NOT NULL CHECK (found >= 0), -- differences
    listed_id  bigint NOT NULL DEFAULT 0 -- the payment up to which all token accounts were asked for
);

-- What it has found, until it is gone. proven_at is NULL while it may be money that is on its way into the records.
CREATE TABLE balance_differences (
    network      text NOT NULL,
    address      bytea NOT NULL,
    contract     bytea NOT NULL, -- empty: none alone
    txnid        text NOT NULL,
    text         text NOT NULL, -- what differs
    advice       text NOT NULL,
    unrecorded   boolean NOT NULL, -- money came that no deposit records
    since        timestamptz NOT NULL,
    block_number bigint NOT NULL, -- the newest when it was first seen as it is
    proven_at    timestamptz,
    rereads      bigint NOT NULL, -- how often the address was read again
    reread_at    timestamptz,
    next_at      timestamptz NOT NULL, -- when it is looked at again
    PRIMARY KEY (network, address, contract)
);

-- The last ledger check. ended_at is NULL while it is requested or runs.
CREATE TABLE ledger_checks (
    only_row    bigint PRIMARY KEY CHECK (only_row = 1),
    asked_at    timestamptz NOT NULL,
    asked_by    text NOT NULL, -- e-mail address
    ended_at    timestamptz,
    entries     bigint NOT NULL,
    differences text NOT NULL, -- JSON list of the first differences, as sentences
    found       bigint NOT NULL, -- how many differences there were
    problem     text NOT NULL  -- why the check could not run; empty: it did
);

-- Payments of strangers that have not ended, and those that hold a credit, by when their page was last open.

CREATE INDEX payments_waiting ON payments (key_id) WHERE ended_at IS NULL AND started_at IS NOT NULL AND (campaign_id > 0 OR link_id > 0);
CREATE INDEX payments_held ON payments (attended_at) WHERE held;

-- A repeated request that replaced an API key gets its answer again.

CREATE TABLE retired_keys (
    hash       bytea       PRIMARY KEY CHECK (octet_length(hash) = 32), -- of the old key
    key_id     bigint      NOT NULL REFERENCES api_keys,
    retired_at timestamptz NOT NULL
);
CREATE INDEX retired_keys_by_age ON retired_keys (retired_at);

-- Merchant accounts whose owners locked where money goes.
CREATE TABLE wallet_locks (
    merchant_id bigint PRIMARY KEY REFERENCES users,
    since       timestamptz NOT NULL
);

-- Changes of where money goes that wait, because the account is locked. They are kept when they have ended.
CREATE TABLE waiting_changes (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    public_id   text NOT NULL UNIQUE,
    token       bytea NOT NULL UNIQUE CHECK (octet_length(token) = 32), -- hash of what stops the change
    merchant_id bigint NOT NULL REFERENCES users,
    key_id      bigint REFERENCES api_keys, -- NULL: the change is about the account
    kind        text NOT NULL CHECK (kind IN ('custodian', 'campaign', 'unlock', 'rights', 'role', 'removal', 'shown',
        'rotation', 'signing', 'paid')),
    subject     text NOT NULL, -- slug of the campaign, public id of the member, txnid of the payment, or empty
    body        text NOT NULL, -- sealed: the new settings
    changes     text NOT NULL, -- JSON list of lines, with old and new
    author_id   bigint NOT NULL REFERENCES users, -- must still be an owner when it is made
    actor       text NOT NULL, -- e-mail address
    created_at  timestamptz NOT NULL,
    due_at      timestamptz NOT NULL,
    next_at     timestamptz NOT NULL, -- when it is made, or tried again
    attempts    bigint NOT NULL DEFAULT 0, -- made in vain
    state       text NOT NULL CHECK (state IN ('WAITING', 'MADE', 'STOPPED', 'FAILED')),
    ended_at    timestamptz
);
CREATE INDEX waiting_changes_next ON waiting_changes (next_at) WHERE state = 'WAITING';
CREATE INDEX waiting_changes_due ON waiting_changes (due_at) WHERE state = 'WAITING';
CREATE INDEX waiting_changes_of_merchant ON waiting_changes (merchant_id) WHERE state = 'WAITING';

-- What operators are notified of. A row is a condition that holds, or held a moment ago.
CREATE TABLE operator_alerts (
    kind        text        NOT NULL,
    subject     text        NOT NULL,
    title       text        NOT NULL,
    detail      text        NOT NULL,
    advice      text        NOT NULL,
    public      boolean     NOT NULL,
    since       timestamptz NOT NULL,
    seen_at     timestamptz NOT NULL,
    notified_at timestamptz, -- NULL: it has not held for long enough
    PRIMARY KEY (kind, subject)
);

-- Where news of a merchant are posted for a chat system.
CREATE TABLE chats (
    merchant_id bigint PRIMARY KEY REFERENCES users,
    url         text   NOT NULL, -- sealed: whoever knows it can write there
    news        text   NOT NULL
);

-- Mails, and what the operator's webhook is to get, written with what they are about. They are sent as deliveries are.
CREATE TABLE mails (
    id         bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    message_id text        NOT NULL UNIQUE, -- the same in every attempt
    kind       text        NOT NULL CHECK (kind IN ('PLAIN', 'ASKED', 'RESET', 'GUESSED', 'LOW', 'REFUSED', 'CROWDED',
        'COMPLETED', 'CUSTOMER', 'PAID', 'ATTENTION', 'CHAT', 'HOOK')),
    key_id     bigint      REFERENCES api_keys, -- whose sales LOW, REFUSED, CROWDED, COMPLETED, PAID and ATTENTION are about
    recipient  text        NOT NULL, -- e-mail address, or empty
    near       text        NOT NULL DEFAULT '', -- the network (/24, /48) of the stranger who asked for it
    thread     text        NOT NULL, -- what belongs together leaves in order; empty: alone
    subject    text        NOT NULL,
    text       text        NOT NULL, -- sealed; empty when it has ended
    receiver   bigint      NOT NULL,
    state      text        NOT NULL CHECK (state IN ('WAITING', 'DELIVERED', 'FAILED', 'STOPPED')),
    attempt    bigint      NOT NULL, -- attempts made
    created_at timestamptz NOT NULL,
    due_at     timestamptz NOT NULL, -- while it is held: when the hold ends; when it has ended: since when
    holder     text,
    error      text        NOT NULL -- of the last attempt
);
CREATE INDEX mails_due ON mails (due_at) WHERE state = 'WAITING';
CREATE INDEX mails_ended ON mails (due_at) WHERE state <> 'WAITING';
CREATE INDEX mails_asked ON mails (recipient, created_at) WHERE kind IN ('ASKED', 'RESET');
CREATE INDEX mails_of_key ON mails (key_id, kind, due_at) WHERE key_id IS NOT NULL;
-- One fall of a balance, or one refused sale, is enough for a mail.
CREATE UNIQUE INDEX mails_waiting_of_key ON mails (key_id, kind) WHERE state = 'WAITING' AND kind IN ('LOW', 'REFUSED', 'CROWDED');

-- Until when the TLS certificates of callbacks are valid.
CREATE TABLE callback_certificates (
    host       text        PRIMARY KEY,
    expires_at timestamptz NOT NULL,
    seen_at    timestamptz NOT NULL -- to the day
);

-- What the sources of rates of currencies have said last, for all instances that have the same sources: one of them asks,
-- and the others read it.
CREATE TABLE rates (
    sources  text        PRIMARY KEY, -- hash of the settings that say which sources there are
    began_at timestamptz NOT NULL, -- when an instance began to ask last
    read_at  timestamptz,          -- when that had ended; NULL: never yet
    body     text        NOT NULL  -- JSON
);
