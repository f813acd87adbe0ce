-- Reason: the secret of an authenticator that is being set up is shown again only to the session that asked for it: another one may be a thief's.
ALTER TABLE second_factors ADD COLUMN session BLOB; -- hash of the session's token; NULL: shown to none
