-- The scopes as the application wrote them, which is how answers repeat them.
ALTER TABLE identity_grants ADD COLUMN asked {{text}} NOT NULL DEFAULT '';
ALTER TABLE identity_credentials ADD COLUMN asked {{text}} NOT NULL DEFAULT '';
