-- How many pushes of an actor to a repository are no longer on record in forge_pushes.
CREATE TABLE forge_forgotten_pushes (
    repository_id BIGINT NOT NULL REFERENCES forge_repositories (id) ON DELETE CASCADE,
    actor_id      BIGINT NOT NULL,
    pushes        BIGINT NOT NULL,
    PRIMARY KEY (repository_id, actor_id)
);
CREATE INDEX forge_forgotten_pushes_actor ON forge_forgotten_pushes (actor_id);
