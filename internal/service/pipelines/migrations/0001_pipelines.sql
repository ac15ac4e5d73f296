-- A project is what this service knows of a repository of the forge. The row
-- appears with the first thing that happens to it.
CREATE TABLE pipelines_projects (
    repo_id    BIGINT NOT NULL PRIMARY KEY,
    -- Numbers of jobs grow by one per project, across branches.
    last_num   BIGINT NOT NULL,
    enabled    {{bool}} NOT NULL,
    -- Settings as the API shows them, a JSON object.
    settings   {{text}} NOT NULL,
    -- Addresses that are told of finished jobs, sealed: they may hold secrets.
    webhooks   {{blob}},
    created_at {{text}} NOT NULL
);

-- A job. What the worker changes carries fence: whoever has lost its lease
-- changes nothing any more. version grows with every change that readers see.
CREATE TABLE pipelines_builds (
    id              {{serial}},
    repo_id         BIGINT NOT NULL,
    num             BIGINT NOT NULL,
    version         BIGINT NOT NULL,
    job_name        {{text}} NOT NULL,
    branch          {{text}} NOT NULL,
    revision        {{text}} NOT NULL,
    tag             {{text}} NOT NULL,
    committer_name  {{text}} NOT NULL,
    committer_email {{text}} NOT NULL,
    committer_date  {{text}},
    author_name     {{text}} NOT NULL,
    author_email    {{text}} NOT NULL,
    author_date     {{text}},
    subject         {{text}} NOT NULL,
    body            {{text}} NOT NULL,
    compare         {{text}} NOT NULL,
    why             {{text}} NOT NULL,
    dont_build      {{text}} NOT NULL,
    pushed_at       {{text}} NOT NULL,
    usage_queued_at {{text}} NOT NULL,
    queued_at       {{text}},
    start_time      {{text}},
    stop_time       {{text}},
    lifecycle       {{text}} NOT NULL,
    outcome         {{text}} NOT NULL,
    status          {{text}} NOT NULL,
    retry_of        BIGINT NOT NULL,
    retries         {{text}} NOT NULL,
    attempts        BIGINT NOT NULL,
    previous_num    BIGINT NOT NULL,
    previous_status {{text}} NOT NULL,
    success_num     BIGINT NOT NULL,
    success_status  {{text}} NOT NULL,
    first_green     {{bool}} NOT NULL,
    parallel        BIGINT NOT NULL,
    fail_reason     {{text}} NOT NULL,
    canceler_id     BIGINT NOT NULL,
    canceler        {{text}} NOT NULL,
    messages        {{text}} NOT NULL,
    ssh_users       {{text}} NOT NULL,
    parameters      {{text}} NOT NULL,
    ssh             {{bool}} NOT NULL,
    no_cache        {{bool}} NOT NULL,
    oss             {{bool}} NOT NULL,
    artifacts       {{bool}} NOT NULL,
    actor_id        BIGINT NOT NULL,
    actor_name      {{text}} NOT NULL,
    workflow_id     {{text}} NOT NULL,
    workflow_name   {{text}} NOT NULL,
    workflow_job    {{text}} NOT NULL,
    workspace_id    {{text}} NOT NULL,
    requires        {{text}} NOT NULL,
    upstream        {{text}} NOT NULL,
    approval        {{bool}} NOT NULL,
    lease_owner     {{text}} NOT NULL,
    lease_until     {{text}},
    fence           BIGINT NOT NULL,
    -- Whose share of the workers the job takes: the account that asked for it.
    -- Teams, which answer where no account does, are negative.
    owner_id        BIGINT NOT NULL,
    -- How many nodes of a running job hold a place at a worker.
    places          BIGINT NOT NULL
);
CREATE UNIQUE INDEX pipelines_builds_num ON pipelines_builds (repo_id, num);
CREATE INDEX pipelines_builds_branch ON pipelines_builds (repo_id, branch, num);
CREATE INDEX pipelines_builds_lifecycle ON pipelines_builds (lifecycle, owner_id, repo_id, id);
CREATE INDEX pipelines_builds_open ON pipelines_builds (repo_id) WHERE lifecycle IN ('not_running', 'queued', 'running');
CREATE INDEX pipelines_builds_workflow ON pipelines_builds (workflow_id, id);

-- When an owner last got a place, as a number that grows: among owners with
-- equally many running nodes the one that waits longest is next.
CREATE TABLE pipelines_turns (
    owner_id BIGINT NOT NULL PRIMARY KEY,
    served   BIGINT NOT NULL
);
CREATE INDEX pipelines_turns_served ON pipelines_turns (served);

-- The row that transactions lock which add jobs of an owner, so that the bound
-- on unfinished jobs is exact across projects.
CREATE TABLE pipelines_owners (
    owner_id BIGINT NOT NULL PRIMARY KEY,
    entered  BIGINT NOT NULL
);

-- Wishes for jobs that were granted, by the id of the row of the queue that
-- asks: it may be run again after a crash, and its jobs are made once.
CREATE TABLE pipelines_wishes (
    repo_id    BIGINT NOT NULL,
    wish       {{text}} NOT NULL,
    created_at {{text}} NOT NULL,
    PRIMARY KEY (repo_id, wish)
);
CREATE INDEX pipelines_wishes_age ON pipelines_wishes (created_at);

-- What only the detail of a job and its worker read.
CREATE TABLE pipelines_details (
    build_id BIGINT NOT NULL PRIMARY KEY,
    config   {{text}} NOT NULL,
    plan     {{text}} NOT NULL,
    commits  {{text}} NOT NULL
);

-- One step on one node.
CREATE TABLE pipelines_actions (
    build_id    BIGINT NOT NULL,
    step        BIGINT NOT NULL,
    node        BIGINT NOT NULL,
    name        {{text}} NOT NULL,
    kind        {{text}} NOT NULL,
    command     {{text}} NOT NULL,
    status      {{text}} NOT NULL,
    started_at  {{text}} NOT NULL,
    ended_at    {{text}},
    exit_code   BIGINT,
    background  {{bool}} NOT NULL,
    output_size BIGINT NOT NULL,
    truncated   {{bool}} NOT NULL,
    PRIMARY KEY (build_id, step, node)
);

-- What an action printed, in pieces of at most a few hundred kilobytes, packed.
CREATE TABLE pipelines_output (
    build_id BIGINT NOT NULL,
    step     BIGINT NOT NULL,
    node     BIGINT NOT NULL,
    seq      BIGINT NOT NULL,
    kind     {{text}} NOT NULL,
    at       {{text}} NOT NULL,
    size     BIGINT NOT NULL,
    packed   {{blob}} NOT NULL,
    PRIMARY KEY (build_id, step, node, seq)
);

CREATE TABLE pipelines_artifacts (
    build_id   BIGINT NOT NULL,
    node       BIGINT NOT NULL,
    path       {{text}} NOT NULL,
    size       BIGINT NOT NULL,
    blob_key   {{text}} NOT NULL,
    expires_at {{text}} NOT NULL,
    repo_id    BIGINT NOT NULL,
    PRIMARY KEY (build_id, node, path)
);
-- All that a project keeps is added up for every artifact.
CREATE INDEX pipelines_artifacts_repo ON pipelines_artifacts (repo_id, expires_at, size);

CREATE TABLE pipelines_tests (
    build_id BIGINT NOT NULL,
    node     BIGINT NOT NULL,
    seq      BIGINT NOT NULL,
    results  {{text}} NOT NULL,
    PRIMARY KEY (build_id, node, seq)
);

-- A cache is written once under its key; see SaveCache.
CREATE TABLE pipelines_caches (
    id         {{serial}},
    repo_id    BIGINT NOT NULL,
    cache_key  {{text}} NOT NULL,
    blob_key   {{text}} NOT NULL,
    size       BIGINT NOT NULL,
    created_at {{text}} NOT NULL,
    expires_at {{text}} NOT NULL
);
CREATE UNIQUE INDEX pipelines_caches_key ON pipelines_caches (repo_id, cache_key);
CREATE INDEX pipelines_caches_repo ON pipelines_caches (repo_id, id, size);

-- Layers of a workflow's workspace, laid over each other in the order of ids.
CREATE TABLE pipelines_layers (
    id           {{serial}},
    workspace_id {{text}} NOT NULL,
    build_id     BIGINT NOT NULL,
    repo_id      BIGINT NOT NULL,
    size         BIGINT NOT NULL,
    blob_key     {{text}} NOT NULL,
    expires_at   {{text}} NOT NULL
);
CREATE INDEX pipelines_layers_workspace ON pipelines_layers (workspace_id, id);
CREATE INDEX pipelines_layers_repo ON pipelines_layers (repo_id, expires_at, size);

CREATE TABLE pipelines_envvars (
    repo_id    BIGINT NOT NULL,
    name       {{text}} NOT NULL,
    sealed     {{blob}} NOT NULL,
    created_at {{text}} NOT NULL,
    PRIMARY KEY (repo_id, name)
);

-- Key pairs: kind deploy or user for checkouts, ssh for other hosts.
CREATE TABLE pipelines_keys (
    id         {{serial}},
    repo_id    BIGINT NOT NULL,
    kind       {{text}} NOT NULL,
    hostname   {{text}} NOT NULL,
    login      {{text}} NOT NULL,
    public_key {{text}} NOT NULL,
    md5        {{text}} NOT NULL,
    sha256     {{text}} NOT NULL,
    preferred  {{bool}} NOT NULL,
    sealed     {{blob}} NOT NULL,
    created_at {{text}} NOT NULL
);
CREATE INDEX pipelines_keys_repo ON pipelines_keys (repo_id, id);

-- Who builds in a project follows it, unless the person has said no: then the
-- row says so.
CREATE TABLE pipelines_follows (
    user_id    BIGINT NOT NULL,
    repo_id    BIGINT NOT NULL,
    following  {{bool}} NOT NULL,
    created_at {{text}} NOT NULL,
    PRIMARY KEY (user_id, repo_id)
);
CREATE INDEX pipelines_follows_repo ON pipelines_follows (repo_id);

-- Tokens of a project, so that they can be listed; the secret is identity's.
CREATE TABLE pipelines_tokens (
    token_id   BIGINT NOT NULL PRIMARY KEY,
    repo_id    BIGINT NOT NULL,
    label      {{text}} NOT NULL,
    scope      {{text}} NOT NULL,
    tail       {{text}} NOT NULL,
    created_at {{text}} NOT NULL
);
CREATE INDEX pipelines_tokens_repo ON pipelines_tokens (repo_id);

CREATE TABLE pipelines_preferences (
    user_id     BIGINT NOT NULL PRIMARY KEY,
    email_prefs {{text}} NOT NULL
);
