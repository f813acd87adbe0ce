-- Reason: signing in with passkeys (WebAuthn), and what is asked of them while they answer.

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

-- Each is answered once, and only by the session (or, before there is one, the
-- sealed cookie) it was made for.
CREATE TABLE passkey_challenges (
    holder     BLOB NOT NULL CHECK (length(holder) = 32), -- hash of the token of that session or cookie
    purpose    TEXT NOT NULL CHECK (purpose IN ('register', 'sign in', 'confirm')),
    state      TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (holder, purpose)
) STRICT;
CREATE INDEX passkey_challenges_by_end ON passkey_challenges (expires_at);
