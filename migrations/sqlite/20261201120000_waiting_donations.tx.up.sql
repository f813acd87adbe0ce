-- Reason: each donation asks how many to its campaign wait for money, which must not cost more the more payments are open.

CREATE INDEX payments_waiting_donations ON payments (campaign_id) WHERE ended_at IS NULL AND campaign_id > 0;
