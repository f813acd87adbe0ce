-- Reason: the operator disables users and keys, finds them, lists top-ups and trouble, and has the book of credits added up.

-- Nobody signs in as a disabled user, and no key of theirs is taken. What was started goes on.
ALTER TABLE users ADD COLUMN disabled_at timestamptz;
ALTER TABLE api_keys ADD COLUMN disabled_at timestamptz;

-- What begins with the text searched for, byte by byte.
CREATE INDEX users_by_beginning ON users (email COLLATE "C");
CREATE INDEX api_keys_by_beginning ON api_keys (lower(label) COLLATE "C");

CREATE INDEX payments_topups ON payments (id) WHERE kind = 'TOPUP';
CREATE INDEX payments_reorged ON payments (id) WHERE reorged;

-- The last time somebody had the book of credits added up. ended_at is NULL while it is asked for or under way.
CREATE TABLE ledger_checks (
    only_row    bigint PRIMARY KEY CHECK (only_row = 1),
    asked_at    timestamptz NOT NULL,
    asked_by    text NOT NULL, -- e-mail address
    ended_at    timestamptz,
    entries     bigint NOT NULL,
    differences text NOT NULL, -- JSON list of sentences, the first ones
    found       bigint NOT NULL, -- how many differences there were
    problem     text NOT NULL  -- why it could not be added up; empty: it was
);
