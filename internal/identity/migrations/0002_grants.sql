-- One row a grant, of either kind: an authorization code that a browser carries
-- or a device code that a device polls with. Codes are kept as hashes.
CREATE TABLE identity_grants (
    id             {{serial}},
    kind           {{text}} NOT NULL CHECK (kind IN ('code', 'device')),
    state          {{text}} NOT NULL CHECK (state IN ('pending', 'approved', 'denied', 'refused', 'claimed')),
    reason         {{text}} NOT NULL,
    code_hash      {{blob}} NOT NULL UNIQUE,
    user_code_hash {{blob}} UNIQUE,
    service        {{text}} NOT NULL,
    client_id      {{text}} REFERENCES identity_clients (id) ON DELETE CASCADE,
    user_id        BIGINT REFERENCES identity_users (id) ON DELETE CASCADE,
    team_id        BIGINT REFERENCES identity_teams (id) ON DELETE CASCADE,
    scopes         {{text}} NOT NULL,
    redirect_uri   {{text}} NOT NULL,
    challenge      {{text}} NOT NULL,
    family         {{text}} NOT NULL,
    interval_ms    BIGINT NOT NULL,
    created_at     {{text}} NOT NULL,
    expires_at     {{text}} NOT NULL
);
CREATE INDEX identity_grants_client ON identity_grants (client_id) WHERE client_id IS NOT NULL;
CREATE INDEX identity_grants_user ON identity_grants (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX identity_grants_team ON identity_grants (team_id) WHERE team_id IS NOT NULL;
CREATE INDEX identity_grants_expires ON identity_grants (expires_at);

-- Scopes that the members of an organization may not hand out.
CREATE TABLE identity_org_policies (
    org_id BIGINT NOT NULL REFERENCES identity_orgs (id) ON DELETE CASCADE,
    scope  {{text}} NOT NULL,
    PRIMARY KEY (org_id, scope)
);
