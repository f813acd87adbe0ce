-- Reason: the merchant's dashboard: second factors, password resets, invitations, the audit log, and indexes for its lists.

CREATE TABLE second_factors (
    user_id      INTEGER PRIMARY KEY REFERENCES users,
    secret       TEXT    NOT NULL, -- sealed
    created_at   INTEGER NOT NULL,
    confirmed_at INTEGER,          -- NULL: shown, but not in force
    last_step    INTEGER NOT NULL  -- time step of the last code taken: each counts once
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

-- Who may sign up where only invited people may.
CREATE TABLE invitations (
    token      BLOB    PRIMARY KEY CHECK (length(token) = 32),
    email      TEXT    NOT NULL,
    invited_by INTEGER NOT NULL REFERENCES users,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    used_at    INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE audit_log (
    id      INTEGER PRIMARY KEY,
    user_id INTEGER NOT NULL REFERENCES users, -- whose account it is about
    at      INTEGER NOT NULL,
    actor   TEXT    NOT NULL, -- e-mail address of who did it
    action  TEXT    NOT NULL,
    subject TEXT    NOT NULL, -- what it was done to
    detail  TEXT    NOT NULL,
    address TEXT    NOT NULL  -- where from
) STRICT;
CREATE INDEX audit_log_by_user ON audit_log (user_id, id);

CREATE TRIGGER audit_log_no_update BEFORE UPDATE ON audit_log
BEGIN
    SELECT RAISE(ABORT, 'audit_log is append-only');
END;
CREATE TRIGGER audit_log_no_delete BEFORE DELETE ON audit_log
BEGIN
    SELECT RAISE(ABORT, 'audit_log is append-only');
END;

-- Payments without a reference cost these nothing, and the accounts of the house are nobody's to list.
CREATE INDEX payments_by_reference ON payments (key_id, reference) WHERE reference <> '';
CREATE INDEX ledger_by_giver ON ledger_entries (from_account, id) WHERE from_account <> 'issued';
CREATE INDEX ledger_by_taker ON ledger_entries (to_account, id) WHERE to_account <> 'spent';
CREATE INDEX deliveries_of_custodian ON deliveries (custodian_id, id);
