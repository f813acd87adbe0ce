-- Reason: a merchant may choose when money on a network counts as final; the choice is fixed with the address.
ALTER TABLE routes ADD COLUMN finality TEXT NOT NULL DEFAULT '';
