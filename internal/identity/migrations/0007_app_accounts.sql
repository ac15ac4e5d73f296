-- The user on whose account the app of an installation token is installed, where it is
-- no organization's.
ALTER TABLE identity_credentials ADD COLUMN account_id BIGINT REFERENCES identity_users (id) ON DELETE CASCADE;
CREATE INDEX identity_credentials_account ON identity_credentials (account_id) WHERE account_id IS NOT NULL;
