-- Users who sign in at an OpenID Connect provider. Issuer and subject never change.
CREATE TABLE identity_external_users (
    issuer     {{text}} NOT NULL,
    subject    {{text}} NOT NULL,
    user_id    BIGINT NOT NULL REFERENCES identity_users (id) ON DELETE CASCADE,
    created_at {{text}} NOT NULL,
    PRIMARY KEY (issuer, subject)
);
CREATE INDEX identity_external_users_user ON identity_external_users (user_id);

-- The memberships that groups of the provider gave. Those that were made in another
-- way are not here, and signing in leaves them alone. target_id is the organization or
-- team, 0 for administrators.
CREATE TABLE identity_external_memberships (
    user_id   BIGINT NOT NULL REFERENCES identity_users (id) ON DELETE CASCADE,
    kind      {{text}} NOT NULL,
    target_id BIGINT NOT NULL,
    PRIMARY KEY (user_id, kind, target_id)
);
