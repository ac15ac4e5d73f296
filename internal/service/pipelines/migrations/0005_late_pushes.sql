-- The newest push to a branch or tag that found the queue of its owner full. It
-- enters the queue when another of the owner's has left it.
CREATE TABLE pipelines_late_pushes (
    id       {{serial}},
    repo_id  BIGINT NOT NULL,
    ref      {{text}} NOT NULL,
    owner_id BIGINT NOT NULL,
    payload  {{text}} NOT NULL
);
CREATE UNIQUE INDEX pipelines_late_pushes_ref ON pipelines_late_pushes (repo_id, ref);
CREATE INDEX pipelines_late_pushes_owner ON pipelines_late_pushes (owner_id, id);
