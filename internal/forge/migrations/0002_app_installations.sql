-- An app on the account of a user or an organization. An app that has no row for its own
-- organization is on all repositories of it.
CREATE TABLE forge_app_installations (
    id         {{serial}},
    client_id  {{text}} NOT NULL,
    owner_kind {{text}} NOT NULL CHECK (owner_kind IN ('user', 'org')),
    owner_id   BIGINT NOT NULL,
    selected   {{bool}} NOT NULL,
    created_at {{text}} NOT NULL,
    updated_at {{text}} NOT NULL,
    UNIQUE (client_id, owner_kind, owner_id)
);

-- The repositories of installations that are on chosen ones. The row of a repository
-- that was deleted stays until others are chosen.
CREATE TABLE forge_installed_repositories (
    installation_id BIGINT NOT NULL REFERENCES forge_app_installations (id) ON DELETE CASCADE,
    repository_id   BIGINT NOT NULL,
    PRIMARY KEY (installation_id, repository_id)
);

INSERT INTO forge_app_installations (client_id, owner_kind, owner_id, selected, created_at, updated_at)
SELECT DISTINCT client_id, 'org', org_id, TRUE, '2026-01-01T00:00:00.000000Z', '2026-01-01T00:00:00.000000Z'
FROM forge_installations;

INSERT INTO forge_installed_repositories (installation_id, repository_id)
SELECT a.id, i.repository_id FROM forge_installations i
JOIN forge_app_installations a ON a.client_id = i.client_id AND a.owner_kind = 'org' AND a.owner_id = i.org_id;

DROP TABLE forge_installations;

-- Tokens that are for some repositories of their installation only.
CREATE TABLE forge_token_repositories (
    token_id      BIGINT NOT NULL,
    repository_id BIGINT NOT NULL,
    expires_at    {{text}} NOT NULL,
    PRIMARY KEY (token_id, repository_id)
);
CREATE INDEX forge_token_repositories_expires ON forge_token_repositories (expires_at);
