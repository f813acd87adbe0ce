-- Reason: notes have moved into the payment.
-- Needs: 20270101000000

DROP TABLE notes;
