-- Apps of the code host: clients of type app that prove themselves with a private key.
CREATE TABLE events_apps (
    id          {{serial}},
    client_id   {{text}} NOT NULL UNIQUE REFERENCES identity_clients (id) ON DELETE CASCADE,
    slug        {{text}} NOT NULL UNIQUE,
    owner_kind  {{text}} NOT NULL CHECK (owner_kind IN ('user', 'org')),
    owner_id    BIGINT NOT NULL,
    permissions {{text}} NOT NULL,
    created_at  {{text}} NOT NULL
);

-- The public half of each key; the private one is shown once and not kept.
CREATE TABLE events_app_keys (
    id         {{serial}},
    app_id     BIGINT NOT NULL REFERENCES events_apps (id) ON DELETE CASCADE,
    public_key {{blob}} NOT NULL,
    created_at {{text}} NOT NULL
);
CREATE INDEX events_app_keys_app ON events_app_keys (app_id, id);
