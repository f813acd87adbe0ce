-- Reason: a merchant may write a note on a payment.
-- Needs: 20261122000000

ALTER TABLE payments ADD COLUMN note TEXT NOT NULL DEFAULT '';
ALTER TABLE events ADD COLUMN note TEXT NOT NULL DEFAULT '';
CREATE TABLE notes (payment_id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;
