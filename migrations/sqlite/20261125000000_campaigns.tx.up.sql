-- Reason: donation campaigns, the money they raised, and payment links that are used again and again.

CREATE TABLE campaigns (
    id           INTEGER PRIMARY KEY,
    slug         TEXT    NOT NULL UNIQUE,
    key_id       INTEGER NOT NULL REFERENCES api_keys, -- pays for starts; its custodian receives
    title        TEXT    NOT NULL CHECK (title <> ''),
    description  TEXT    NOT NULL,
    goal         INTEGER NOT NULL CHECK (goal >= 0), -- USD micros; 0: none
    suggested    TEXT    NOT NULL,                   -- USD micros, separated by commas
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
    review      TEXT    NOT NULL CHECK (review IN ('WAITING', 'APPROVED', 'HIDDEN'))
) STRICT;
CREATE INDEX donations_by_campaign ON donations (campaign_id, id, received, review);

CREATE TABLE links (
    id          INTEGER PRIMARY KEY,
    slug        TEXT    NOT NULL UNIQUE,
    key_id      INTEGER NOT NULL REFERENCES api_keys,
    description TEXT    NOT NULL,
    reference   TEXT    NOT NULL,
    amount      INTEGER NOT NULL CHECK (amount >= 0), -- USD micros; 0: the payer chooses
    min_amount  INTEGER NOT NULL CHECK (min_amount >= 0),
    max_amount  INTEGER NOT NULL CHECK (max_amount >= 0),
    paused      INTEGER NOT NULL,
    created_at  INTEGER NOT NULL
) STRICT;
CREATE INDEX links_by_key ON links (key_id, id);
