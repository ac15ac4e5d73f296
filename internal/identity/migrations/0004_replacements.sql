-- What was made in place of a refresh token or key, for a while: an answer that got
-- lost can be given again. sealed opens with the old secret and the root key together.
CREATE TABLE identity_replacements (
    credential_id BIGINT NOT NULL PRIMARY KEY REFERENCES identity_credentials (id) ON DELETE CASCADE,
    request       {{blob}} NOT NULL,
    sealed        {{blob}} NOT NULL,
    expires_at    {{text}} NOT NULL
);
CREATE INDEX identity_replacements_expires ON identity_replacements (expires_at);
