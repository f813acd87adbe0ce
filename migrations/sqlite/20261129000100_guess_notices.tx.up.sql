-- Reason: a user is told once in a while that sign-in guesses at them are slowed, by whichever instance sees it.

CREATE TABLE guess_notices (
    user_id INTEGER NOT NULL PRIMARY KEY REFERENCES users,
    told_at INTEGER NOT NULL
) STRICT;
