-- Reason: the owners of a key are mailed once when its credits run low.

-- One row a key that ever ran low, written with the entry that crossed the mark. TAKEN is before the mail is handed
-- over, so that a crash between the two costs a mail and never sends it twice.
CREATE TABLE low_credit (
    key_id     bigint      PRIMARY KEY REFERENCES api_keys,
    crossing   bigint      NOT NULL CHECK (crossing > 0), -- counts how often it ran low
    crossed_at timestamptz NOT NULL,
    state      text        NOT NULL CHECK (state IN ('WAITING', 'TAKEN', 'SENT', 'SKIPPED', 'FAILED')),
    attempt    bigint      NOT NULL CHECK (attempt >= 0), -- attempts made
    due_at     timestamptz NOT NULL
);
CREATE INDEX low_credit_due ON low_credit (due_at) WHERE state = 'WAITING';
