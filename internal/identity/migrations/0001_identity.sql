-- Users and organizations share one name space: both own repositories.
CREATE TABLE identity_names (
    name {{text}} NOT NULL PRIMARY KEY,
    kind {{text}} NOT NULL CHECK (kind IN ('user', 'org'))
);

CREATE TABLE identity_users (
    id              {{serial}},
    name            {{text}} NOT NULL,
    folded_name     {{text}} NOT NULL UNIQUE,
    display_name    {{text}} NOT NULL,
    email           {{text}} NOT NULL,
    password_hash   {{text}} NOT NULL,
    admin           {{bool}} NOT NULL,
    disabled        {{bool}} NOT NULL,
    service_account {{bool}} NOT NULL,
    created_at      {{text}} NOT NULL
);

CREATE TABLE identity_orgs (
    id          {{serial}},
    name        {{text}} NOT NULL,
    folded_name {{text}} NOT NULL UNIQUE,
    enterprise  {{bool}} NOT NULL,
    created_at  {{text}} NOT NULL
);

CREATE TABLE identity_org_members (
    org_id  BIGINT NOT NULL REFERENCES identity_orgs (id) ON DELETE CASCADE,
    user_id BIGINT NOT NULL REFERENCES identity_users (id) ON DELETE CASCADE,
    role    {{text}} NOT NULL CHECK (role IN ('owner', 'member')),
    PRIMARY KEY (org_id, user_id)
);
CREATE INDEX identity_org_members_user ON identity_org_members (user_id);

CREATE TABLE identity_teams (
    id         {{serial}},
    name       {{text}} NOT NULL UNIQUE,
    title      {{text}} NOT NULL,
    sso_only   {{bool}} NOT NULL,
    active     {{bool}} NOT NULL,
    created_at {{text}} NOT NULL
);

CREATE TABLE identity_team_members (
    team_id     BIGINT NOT NULL REFERENCES identity_teams (id) ON DELETE CASCADE,
    user_id     BIGINT NOT NULL REFERENCES identity_users (id) ON DELETE CASCADE,
    role        {{text}} NOT NULL CHECK (role IN ('owner', 'admin', 'member')),
    joined_at   {{text}} NOT NULL,
    last_access {{text}},
    PRIMARY KEY (team_id, user_id)
);
CREATE INDEX identity_team_members_user ON identity_team_members (user_id);

CREATE TABLE identity_clients (
    id            {{text}} NOT NULL PRIMARY KEY,
    secret_hash   {{blob}} NOT NULL,
    name          {{text}} NOT NULL,
    type          {{text}} NOT NULL CHECK (type IN ('web', 'device', 'service', 'app')),
    redirect_uris {{text}} NOT NULL,
    scopes        {{text}} NOT NULL,
    org_id        BIGINT REFERENCES identity_orgs (id) ON DELETE CASCADE,
    internal      {{bool}} NOT NULL,
    owner_id      BIGINT REFERENCES identity_users (id) ON DELETE SET NULL,
    principal_id  BIGINT REFERENCES identity_users (id),
    created_at    {{text}} NOT NULL
);
CREATE INDEX identity_clients_owner ON identity_clients (owner_id);

-- Clients that an organization lets its members use without owning them.
CREATE TABLE identity_org_clients (
    org_id    BIGINT NOT NULL REFERENCES identity_orgs (id) ON DELETE CASCADE,
    client_id {{text}} NOT NULL REFERENCES identity_clients (id) ON DELETE CASCADE,
    PRIMARY KEY (org_id, client_id)
);
CREATE INDEX identity_org_clients_client ON identity_org_clients (client_id);

-- Tokens and keys. services and scopes are lists separated by single spaces.
-- operator marks what was issued on the command line: only there do scopes that
-- are the operator's to give count.
CREATE TABLE identity_credentials (
    id           {{serial}},
    hash         {{blob}} NOT NULL UNIQUE,
    kind         {{text}} NOT NULL,
    services     {{text}} NOT NULL,
    scopes       {{text}} NOT NULL,
    user_id      BIGINT REFERENCES identity_users (id) ON DELETE CASCADE,
    client_id    {{text}} REFERENCES identity_clients (id) ON DELETE CASCADE,
    org_id       BIGINT REFERENCES identity_orgs (id) ON DELETE CASCADE,
    team_id      BIGINT REFERENCES identity_teams (id) ON DELETE CASCADE,
    repo         {{text}} NOT NULL,
    note         {{text}} NOT NULL,
    family       {{text}} NOT NULL,
    operator     {{bool}} NOT NULL,
    created_at   {{text}} NOT NULL,
    expires_at   {{text}},
    revoked_at   {{text}},
    last_used_at {{text}}
);
CREATE INDEX identity_credentials_user ON identity_credentials (user_id);
CREATE INDEX identity_credentials_client ON identity_credentials (client_id) WHERE client_id IS NOT NULL;
CREATE INDEX identity_credentials_org ON identity_credentials (org_id) WHERE org_id IS NOT NULL;
CREATE INDEX identity_credentials_team ON identity_credentials (team_id) WHERE team_id IS NOT NULL;
CREATE INDEX identity_credentials_family ON identity_credentials (family) WHERE family <> '';
CREATE INDEX identity_credentials_expires ON identity_credentials (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX identity_credentials_revoked ON identity_credentials (revoked_at) WHERE revoked_at IS NOT NULL;
