-- A page of all tokens or keys takes as long wherever it is.
CREATE INDEX identity_credentials_kind ON identity_credentials (kind, id) WHERE revoked_at IS NULL;
