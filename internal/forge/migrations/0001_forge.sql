CREATE TABLE forge_repositories (
    id             {{serial}},
    owner_kind     {{text}} NOT NULL CHECK (owner_kind IN ('user', 'org')),
    owner_id       BIGINT NOT NULL,
    owner_name     {{text}} NOT NULL,
    folded_owner   {{text}} NOT NULL,
    name           {{text}} NOT NULL,
    folded_name    {{text}} NOT NULL,
    private        {{bool}} NOT NULL,
    description    {{text}} NOT NULL,
    default_branch {{text}} NOT NULL,
    network_id     BIGINT NOT NULL,
    parent_id      BIGINT NOT NULL,
    folder         {{text}} NOT NULL UNIQUE,
    created_at     {{text}} NOT NULL,
    updated_at     {{text}} NOT NULL,
    pushed_at      {{text}},
    UNIQUE (folded_owner, folded_name)
);
CREATE INDEX forge_repositories_network ON forge_repositories (network_id);

-- Old addresses of renamed repositories.
CREATE TABLE forge_redirects (
    folded_owner  {{text}} NOT NULL,
    folded_name   {{text}} NOT NULL,
    repository_id BIGINT NOT NULL REFERENCES forge_repositories (id) ON DELETE CASCADE,
    PRIMARY KEY (folded_owner, folded_name)
);
CREATE INDEX forge_redirects_repository ON forge_redirects (repository_id);

-- The refs whose activities are recorded.
CREATE TABLE forge_refs (
    repository_id BIGINT NOT NULL REFERENCES forge_repositories (id) ON DELETE CASCADE,
    name          {{text}} NOT NULL,
    sha           {{text}} NOT NULL,
    PRIMARY KEY (repository_id, name)
);

CREATE TABLE forge_pushes (
    id            {{serial}},
    repository_id BIGINT NOT NULL REFERENCES forge_repositories (id) ON DELETE CASCADE,
    ref           {{text}} NOT NULL,
    before_sha    {{text}} NOT NULL,
    after_sha     {{text}} NOT NULL,
    forced        {{bool}} NOT NULL,
    size          BIGINT NOT NULL,
    distinct_size BIGINT NOT NULL,
    commits       {{text}} NOT NULL,
    actor_id      BIGINT NOT NULL,
    actor_name    {{text}} NOT NULL,
    pushed_at     {{text}} NOT NULL
);
CREATE INDEX forge_pushes_repository ON forge_pushes (repository_id, id);

-- Who is about to push: what a crash leaves behind is observed at the start.
CREATE TABLE forge_pending (
    id            {{serial}},
    repository_id BIGINT NOT NULL REFERENCES forge_repositories (id) ON DELETE CASCADE,
    actor_id      BIGINT NOT NULL,
    actor_name    {{text}} NOT NULL,
    started_at    {{text}} NOT NULL
);
CREATE INDEX forge_pending_repository ON forge_pending (repository_id);

CREATE TABLE forge_stars (
    repository_id BIGINT NOT NULL REFERENCES forge_repositories (id) ON DELETE CASCADE,
    user_id       BIGINT NOT NULL,
    starred_at    {{text}} NOT NULL,
    PRIMARY KEY (repository_id, user_id)
);
CREATE INDEX forge_stars_user ON forge_stars (user_id);

CREATE TABLE forge_members (
    repository_id BIGINT NOT NULL REFERENCES forge_repositories (id) ON DELETE CASCADE,
    user_id       BIGINT NOT NULL,
    permission    {{text}} NOT NULL CHECK (permission IN ('read', 'write', 'admin')),
    PRIMARY KEY (repository_id, user_id)
);
CREATE INDEX forge_members_user ON forge_members (user_id);

-- Apps that are installed on chosen repositories of an organization. An app
-- without a row here is installed on all of them, so the row of a repository
-- that was deleted stays: its end must not open the others.
CREATE TABLE forge_installations (
    client_id     {{text}} NOT NULL,
    org_id        BIGINT NOT NULL,
    repository_id BIGINT NOT NULL,
    PRIMARY KEY (client_id, org_id, repository_id)
);
