-- Reason: several people work for one merchant account, each in a role.

-- A merchant account is named by the user who founded it: keys belong to that user.
CREATE TABLE memberships (
    merchant_id INTEGER NOT NULL REFERENCES users,
    user_id     INTEGER NOT NULL REFERENCES users,
    role        TEXT    NOT NULL CHECK (role IN ('owner', 'developer', 'support', 'viewer')),
    created_at  INTEGER NOT NULL,
    chosen_at   INTEGER NOT NULL, -- the one chosen last is what the user's next session acts for
    PRIMARY KEY (merchant_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX memberships_by_user ON memberships (user_id, chosen_at);
INSERT INTO memberships (merchant_id, user_id, role, created_at, chosen_at)
    SELECT id, id, 'owner', created_at, created_at FROM users;

-- Which merchant a session acts for; NULL for a user who belonged to none.
ALTER TABLE sessions ADD COLUMN merchant_id INTEGER REFERENCES users;
UPDATE sessions SET merchant_id = user_id;

CREATE TABLE team_invitations (
    id          INTEGER PRIMARY KEY,
    public_id   TEXT    NOT NULL UNIQUE,
    token       BLOB    NOT NULL UNIQUE CHECK (length(token) = 32), -- SHA-256; sending again replaces it
    merchant_id INTEGER NOT NULL REFERENCES users,
    email       TEXT    NOT NULL,
    role        TEXT    NOT NULL CHECK (role IN ('owner', 'developer', 'support', 'viewer')),
    invited_by  TEXT    NOT NULL, -- e-mail address
    created_at  INTEGER NOT NULL,
    expires_at  INTEGER NOT NULL,
    ended_at    INTEGER -- taken or revoked
) STRICT;
-- One open invitation for an address.
CREATE UNIQUE INDEX team_invitations_open ON team_invitations (merchant_id, email) WHERE ended_at IS NULL;
