-- Reason: a merchant's failed webhooks are counted on every overview, and sent again at once; among millions of delivered ones they are few.

CREATE INDEX deliveries_failed ON deliveries (custodian_id, due_at) WHERE state IN ('FAILED', 'STOPPED');
