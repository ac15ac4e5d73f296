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
