-- Files that the service made itself can be fetched.
ALTER TABLE generate_files ADD COLUMN generated {{bool}} NOT NULL DEFAULT FALSE;

-- Batches of requests; size is what their items take of the owner's storage.
CREATE TABLE generate_batches (
    id           {{text}} NOT NULL PRIMARY KEY,
    user_id      BIGINT NOT NULL,
    key_id       BIGINT NOT NULL,
    method       {{text}} NOT NULL CHECK (method IN ('generateContent', 'embedContent')),
    model        {{text}} NOT NULL,
    display_name {{text}} NOT NULL,
    state        {{text}} NOT NULL,
    input_file   {{text}} NOT NULL,
    output_file  {{text}} NOT NULL,
    error        {{text}} NOT NULL,
    size         BIGINT NOT NULL,
    requests     BIGINT NOT NULL,
    succeeded    BIGINT NOT NULL,
    failed       BIGINT NOT NULL,
    created_at   {{text}} NOT NULL,
    updated_at   {{text}} NOT NULL,
    expires_at   {{text}} NOT NULL
);
CREATE INDEX generate_batches_user ON generate_batches (user_id, created_at, id);
CREATE INDEX generate_batches_expires ON generate_batches (expires_at);

-- The requests of a batch in their order, and what became of them, as JSON.
CREATE TABLE generate_batch_items (
    batch_id {{text}} NOT NULL,
    position BIGINT NOT NULL,
    item_key {{text}} NOT NULL,
    metadata {{text}} NOT NULL,
    request  {{text}} NOT NULL,
    response {{text}} NOT NULL,
    error    {{text}} NOT NULL,
    PRIMARY KEY (batch_id, position)
);
