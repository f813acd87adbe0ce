-- Reason: a merchant may write a note on a payment.
-- Needs: 20261122000000

ALTER TABLE payments ADD COLUMN note text NOT NULL DEFAULT '';
ALTER TABLE events ADD COLUMN note text NOT NULL DEFAULT '';
ALTER TABLE users ADD COLUMN note text NOT NULL DEFAULT '';
ALTER TABLE deposit_balances ADD COLUMN note text NOT NULL DEFAULT '';
ALTER TABLE deposits ADD COLUMN note text NOT NULL DEFAULT '';
CREATE TABLE notes (payment_id bigint PRIMARY KEY, text text NOT NULL);
