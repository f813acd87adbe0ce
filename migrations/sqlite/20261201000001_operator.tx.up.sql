-- Reason: the operator disables users and keys, finds them, lists top-ups and trouble, and has the book of credits added up.

-- Nobody signs in as a disabled user, and no key of theirs is taken. What was started goes on.
ALTER TABLE users ADD COLUMN disabled_at INTEGER;
ALTER TABLE api_keys ADD COLUMN disabled_at INTEGER;

-- What begins with the text searched for, byte by byte.
CREATE INDEX users_by_beginning ON users (email COLLATE BINARY);
CREATE INDEX api_keys_by_beginning ON api_keys (lower(label) COLLATE BINARY);

CREATE INDEX payments_topups ON payments (id) WHERE kind = 'TOPUP';
CREATE INDEX payments_reorged ON payments (id) WHERE reorged;

-- The last time somebody had the book of credits added up. ended_at is NULL while it is asked for or under way.
CREATE TABLE ledger_checks (
    only_row    INTEGER PRIMARY KEY CHECK (only_row = 1),
    asked_at    INTEGER NOT NULL,
    asked_by    TEXT NOT NULL, -- e-mail address
    ended_at    INTEGER,
    entries     INTEGER NOT NULL,
    differences TEXT NOT NULL, -- JSON list of sentences, the first ones
    found       INTEGER NOT NULL, -- how many differences there were
    problem     TEXT NOT NULL  -- why it could not be added up; empty: it was
) STRICT;
