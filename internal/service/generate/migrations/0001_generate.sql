-- Uploaded files. They are read by owner and id only.
CREATE TABLE generate_files (
    id           {{text}} NOT NULL,
    user_id      BIGINT NOT NULL,
    display_name {{text}} NOT NULL,
    mime_type    {{text}} NOT NULL,
    size         BIGINT NOT NULL,
    sha256       {{text}} NOT NULL,
    state        {{text}} NOT NULL CHECK (state IN ('PROCESSING', 'ACTIVE', 'FAILED')),
    blob         {{text}} NOT NULL,
    tokens       BIGINT NOT NULL,
    error        {{text}} NOT NULL,
    created_at   {{text}} NOT NULL,
    updated_at   {{text}} NOT NULL,
    expires_at   {{text}} NOT NULL,
    PRIMARY KEY (user_id, id)
);
CREATE INDEX generate_files_user ON generate_files (user_id, created_at, id);
CREATE INDEX generate_files_expires ON generate_files (expires_at);

-- Upload sessions, found by the hash of their secret id.
CREATE TABLE generate_uploads (
    digest       {{text}} NOT NULL PRIMARY KEY,
    user_id      BIGINT NOT NULL,
    file_id      {{text}} NOT NULL,
    display_name {{text}} NOT NULL,
    mime_type    {{text}} NOT NULL,
    length       BIGINT NOT NULL,
    received     BIGINT NOT NULL,
    blob         {{text}} NOT NULL,
    state        {{text}} NOT NULL CHECK (state IN ('active', 'final', 'cancelled')),
    created_at   {{text}} NOT NULL,
    expires_at   {{text}} NOT NULL
);
CREATE INDEX generate_uploads_expires ON generate_uploads (expires_at);
CREATE INDEX generate_uploads_open ON generate_uploads (user_id) WHERE state = 'active';
CREATE UNIQUE INDEX generate_uploads_file ON generate_uploads (user_id, file_id);

-- Cached content; prefix and tokens are JSON.
CREATE TABLE generate_caches (
    id           {{text}} NOT NULL PRIMARY KEY,
    user_id      BIGINT NOT NULL,
    model        {{text}} NOT NULL,
    display_name {{text}} NOT NULL,
    prefix       {{text}} NOT NULL,
    size         BIGINT NOT NULL,
    tokens       {{text}} NOT NULL,
    created_at   {{text}} NOT NULL,
    updated_at   {{text}} NOT NULL,
    expires_at   {{text}} NOT NULL
);
CREATE INDEX generate_caches_user ON generate_caches (user_id, created_at, id);
CREATE INDEX generate_caches_expires ON generate_caches (expires_at);

-- Requests whose storing was asked for, with their answers, as JSON, and the
-- first words of both for lists.
CREATE TABLE generate_log (
    id         {{serial}},
    user_id    BIGINT NOT NULL,
    key_id     BIGINT NOT NULL,
    model      {{text}} NOT NULL,
    asked      {{text}} NOT NULL,
    said       {{text}} NOT NULL,
    request    {{text}} NOT NULL,
    response   {{text}} NOT NULL,
    created_at {{text}} NOT NULL,
    expires_at {{text}} NOT NULL
);
CREATE INDEX generate_log_user ON generate_log (user_id, id);
CREATE INDEX generate_log_expires ON generate_log (expires_at);
