-- Reason: signing in with passkeys (WebAuthn), and what is asked of them while they answer.

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

-- Each is answered once, and only by the session (or, before there is one, the
-- sealed cookie) it was made for.
CREATE TABLE passkey_challenges (
    holder     bytea NOT NULL CHECK (octet_length(holder) = 32), -- hash of the token of that session or cookie
    purpose    text NOT NULL CHECK (purpose IN ('register', 'sign in', 'confirm')),
    state      text NOT NULL,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (holder, purpose)
);
CREATE INDEX passkey_challenges_by_end ON passkey_challenges (expires_at);
