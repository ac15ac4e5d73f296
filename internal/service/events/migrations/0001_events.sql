-- Rows never change, except that they become private with their repository.
-- own marks payloads of our own making: facts, not yet the contract's object.
CREATE TABLE events_events (
    id         {{serial}},
    type       {{text}} NOT NULL,
    actor_id   BIGINT NOT NULL,
    actor_name {{text}} NOT NULL,
    repo_id    BIGINT NOT NULL,
    repo_name  {{text}} NOT NULL,
    network_id BIGINT NOT NULL,
    org_id     BIGINT NOT NULL,
    org_name   {{text}} NOT NULL,
    public     {{bool}} NOT NULL,
    own        {{bool}} NOT NULL,
    payload    {{text}} NOT NULL,
    created_at {{text}} NOT NULL
);
CREATE INDEX events_events_public ON events_events (public, id);
CREATE INDEX events_events_repo ON events_events (repo_id, id);
CREATE INDEX events_events_network ON events_events (network_id, id);
CREATE INDEX events_events_org ON events_events (org_id, id);
CREATE INDEX events_events_actor ON events_events (actor_id, id);

-- Issues and pull requests of a repository share their numbers. data is the rest.
CREATE TABLE events_issues (
    id           {{serial}},
    repo_id      BIGINT NOT NULL,
    number       BIGINT NOT NULL,
    pull         {{bool}} NOT NULL,
    state        {{text}} NOT NULL,
    author       {{text}} NOT NULL,
    base_ref     {{text}} NOT NULL,
    head_ref     {{text}} NOT NULL,
    comments     BIGINT NOT NULL,
    created_at   {{text}} NOT NULL,
    updated_at   {{text}} NOT NULL,
    data         {{text}} NOT NULL,
    UNIQUE (repo_id, number)
);
CREATE INDEX events_issues_updated ON events_issues (repo_id, updated_at);

-- The labels and assignees of an issue, for lists that ask for one.
CREATE TABLE events_issue_marks (
    issue_id BIGINT NOT NULL REFERENCES events_issues (id) ON DELETE CASCADE,
    kind     {{text}} NOT NULL CHECK (kind IN ('label', 'assignee')),
    value    {{text}} NOT NULL,
    PRIMARY KEY (issue_id, kind, value)
);
CREATE INDEX events_issue_marks_value ON events_issue_marks (kind, value);

CREATE TABLE events_labels (
    id          {{serial}},
    repo_id     BIGINT NOT NULL,
    name        {{text}} NOT NULL,
    folded_name {{text}} NOT NULL,
    color       {{text}} NOT NULL,
    description {{text}} NOT NULL,
    UNIQUE (repo_id, folded_name)
);

CREATE TABLE events_comments (
    id         {{serial}},
    repo_id    BIGINT NOT NULL,
    kind       {{text}} NOT NULL CHECK (kind IN ('issue', 'review', 'commit')),
    number     BIGINT NOT NULL,
    commit_id  {{text}} NOT NULL,
    review_id  BIGINT NOT NULL,
    updated_at {{text}} NOT NULL,
    data       {{text}} NOT NULL
);
CREATE INDEX events_comments_about ON events_comments (repo_id, kind, number, id);
CREATE INDEX events_comments_commit ON events_comments (repo_id, kind, commit_id, id);

CREATE TABLE events_reviews (
    id      {{serial}},
    repo_id BIGINT NOT NULL,
    number  BIGINT NOT NULL,
    data    {{text}} NOT NULL
);
CREATE INDEX events_reviews_pull ON events_reviews (repo_id, number, id);

CREATE TABLE events_releases (
    id         {{serial}},
    repo_id    BIGINT NOT NULL,
    tag        {{text}} NOT NULL,
    draft      {{bool}} NOT NULL,
    prerelease {{bool}} NOT NULL,
    data       {{text}} NOT NULL,
    UNIQUE (repo_id, tag)
);

-- sealed is the address and the secret.
CREATE TABLE events_hooks (
    id         {{serial}},
    owner_kind {{text}} NOT NULL CHECK (owner_kind IN ('repository', 'organization')),
    owner_id   BIGINT NOT NULL,
    active     {{bool}} NOT NULL,
    form       {{bool}} NOT NULL,
    events     {{text}} NOT NULL,
    sealed     {{blob}} NOT NULL,
    created_by BIGINT NOT NULL,
    created_at {{text}} NOT NULL,
    updated_at {{text}} NOT NULL
);
CREATE INDEX events_hooks_owner ON events_hooks (owner_kind, owner_id, id);

CREATE TABLE events_hook_deliveries (
    id         {{serial}},
    hook_id    BIGINT NOT NULL REFERENCES events_hooks (id) ON DELETE CASCADE,
    guid       {{text}} NOT NULL,
    message    {{text}} NOT NULL,
    word       {{text}} NOT NULL,
    action     {{text}} NOT NULL,
    repo_id    BIGINT NOT NULL,
    again      {{bool}} NOT NULL,
    problem    {{text}} NOT NULL,
    created_at {{text}} NOT NULL
);
CREATE INDEX events_hook_deliveries_hook ON events_hook_deliveries (hook_id, id);
