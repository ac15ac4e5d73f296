-- Browsers that are signed in. The cookie's secret is kept as a hash.
CREATE TABLE identity_sessions (
    id         {{serial}},
    hash       {{blob}} NOT NULL UNIQUE,
    user_id    BIGINT NOT NULL REFERENCES identity_users (id) ON DELETE CASCADE,
    address    {{text}} NOT NULL,
    agent      {{text}} NOT NULL,
    created_at {{text}} NOT NULL,
    expires_at {{text}} NOT NULL
);
CREATE INDEX identity_sessions_user ON identity_sessions (user_id);
CREATE INDEX identity_sessions_expires ON identity_sessions (expires_at);
