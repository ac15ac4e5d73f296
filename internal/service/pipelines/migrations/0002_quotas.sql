-- What all jobs of a project have printed and is kept, in bytes as stored.
ALTER TABLE pipelines_projects ADD COLUMN output_bytes BIGINT NOT NULL DEFAULT 0;
UPDATE pipelines_projects SET output_bytes = COALESCE((
    SELECT SUM(LENGTH(o.packed)) FROM pipelines_output o JOIN pipelines_builds b ON b.id = o.build_id
    WHERE b.repo_id = pipelines_projects.repo_id), 0);

-- Whose jobs keep what, over all projects.
ALTER TABLE pipelines_artifacts ADD COLUMN owner_id BIGINT NOT NULL DEFAULT 0;
ALTER TABLE pipelines_caches ADD COLUMN owner_id BIGINT NOT NULL DEFAULT 0;
ALTER TABLE pipelines_layers ADD COLUMN owner_id BIGINT NOT NULL DEFAULT 0;
UPDATE pipelines_artifacts SET owner_id = COALESCE((SELECT b.owner_id FROM pipelines_builds b WHERE b.id = build_id), 0);
UPDATE pipelines_layers SET owner_id = COALESCE((SELECT b.owner_id FROM pipelines_builds b WHERE b.id = build_id), 0);
CREATE INDEX pipelines_artifacts_owner ON pipelines_artifacts (owner_id, expires_at, size);
CREATE INDEX pipelines_caches_owner ON pipelines_caches (owner_id, expires_at, size);
CREATE INDEX pipelines_layers_owner ON pipelines_layers (owner_id, expires_at, size);
