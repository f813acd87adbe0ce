-- Reason: the merchant's dashboard: second factors, password resets, invitations, the audit log, and indexes for its lists.

CREATE TABLE second_factors (
    user_id      bigint      PRIMARY KEY REFERENCES users,
    secret       text        NOT NULL, -- sealed
    created_at   timestamptz NOT NULL,
    confirmed_at timestamptz,          -- NULL: shown, but not in force
    last_step    bigint      NOT NULL  -- time step of the last code taken: each counts once
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

-- Who may sign up where only invited people may.
CREATE TABLE invitations (
    token      bytea       PRIMARY KEY CHECK (octet_length(token) = 32),
    email      text        NOT NULL,
    invited_by bigint      NOT NULL REFERENCES users,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    used_at    timestamptz
);

CREATE TABLE audit_log (
    id      bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id bigint      NOT NULL REFERENCES users, -- whose account it is about
    at      timestamptz NOT NULL,
    actor   text        NOT NULL, -- e-mail address of who did it
    action  text        NOT NULL,
    subject text        NOT NULL, -- what it was done to
    detail  text        NOT NULL,
    address text        NOT NULL  -- where from
);
CREATE INDEX audit_log_by_user ON audit_log (user_id, id);
CREATE TRIGGER audit_log_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Payments without a reference cost these nothing, and the accounts of the house are nobody's to list.
CREATE INDEX payments_by_reference ON payments (key_id, reference) WHERE reference <> '';
CREATE INDEX ledger_by_giver ON ledger_entries (from_account, id) WHERE from_account <> 'issued';
CREATE INDEX ledger_by_taker ON ledger_entries (to_account, id) WHERE to_account <> 'spent';
CREATE INDEX deliveries_of_custodian ON deliveries (custodian_id, id);
