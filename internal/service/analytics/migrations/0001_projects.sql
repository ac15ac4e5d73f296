-- A project is a domain that its owner watches.
CREATE TABLE analytics_projects (
    id         BIGINT NOT NULL PRIMARY KEY,
    owner_id   BIGINT NOT NULL,
    name       {{text}} NOT NULL,
    url        {{text}} NOT NULL,
    created_at {{text}} NOT NULL,
    updated_at {{text}} NOT NULL,
    UNIQUE (owner_id, url)
);

-- What a create with an Idempotency-Key made, so that a retry finds it.
CREATE TABLE analytics_retries (
    owner_id    BIGINT NOT NULL,
    key         {{text}} NOT NULL,
    fingerprint {{text}} NOT NULL,
    project_id  BIGINT NOT NULL,
    created_at  {{text}} NOT NULL,
    PRIMARY KEY (owner_id, key)
);
CREATE INDEX analytics_retries_age ON analytics_retries (created_at);
