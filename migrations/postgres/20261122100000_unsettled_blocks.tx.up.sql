-- Reason: each round looks for deposits in the blocks it reads, not for all that still wait for finality.
DROP INDEX deposits_unsettled;

CREATE INDEX deposits_unsettled ON deposits (network, block_number, payment_id) WHERE NOT hardened AND state <> 'VANISHED';
