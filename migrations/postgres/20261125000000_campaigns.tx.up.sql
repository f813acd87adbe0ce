-- Reason: donation campaigns, the money they raised, and payment links that are used again and again.

CREATE TABLE campaigns (
    id           bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    slug         text    NOT NULL UNIQUE,
    key_id       bigint  NOT NULL REFERENCES api_keys, -- pays for starts; its custodian receives
    title        text    NOT NULL CHECK (title <> ''),
    description  text    NOT NULL,
    goal         bigint  NOT NULL CHECK (goal >= 0), -- USD micros; 0: none
    suggested    text    NOT NULL,                   -- USD micros, separated by commas
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
    review      text    NOT NULL CHECK (review IN ('WAITING', 'APPROVED', 'HIDDEN'))
);
CREATE INDEX donations_by_campaign ON donations (campaign_id, id, received, review);

CREATE TABLE links (
    id          bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    slug        text    NOT NULL UNIQUE,
    key_id      bigint  NOT NULL REFERENCES api_keys,
    description text    NOT NULL,
    reference   text    NOT NULL,
    amount      bigint  NOT NULL CHECK (amount >= 0), -- USD micros; 0: the payer chooses
    min_amount  bigint  NOT NULL CHECK (min_amount >= 0),
    max_amount  bigint  NOT NULL CHECK (max_amount >= 0),
    paused      boolean NOT NULL,
    created_at  timestamptz NOT NULL
);
CREATE INDEX links_by_key ON links (key_id, id);
