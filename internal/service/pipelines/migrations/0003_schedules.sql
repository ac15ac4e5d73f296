-- Pipelines that ask for a number are counted per project.
ALTER TABLE pipelines_projects ADD COLUMN last_pipeline BIGINT NOT NULL DEFAULT 0;

-- Of jobs with the same group in the projects of one owner, one runs at a time.
ALTER TABLE pipelines_builds ADD COLUMN serial_group {{text}} NOT NULL DEFAULT '';
CREATE INDEX pipelines_builds_serial ON pipelines_builds (serial_group, lifecycle, id) WHERE serial_group <> '';

-- A schedule that the configuration at the head of a branch asks for.
CREATE TABLE pipelines_schedules (
    repo_id   BIGINT NOT NULL,
    branch    {{text}} NOT NULL,
    workflow  {{text}} NOT NULL,
    cron      {{text}} NOT NULL,
    actor_id  BIGINT NOT NULL,
    actor     {{text}} NOT NULL,
    -- The due time that waits on the queue.
    due_at    {{text}} NOT NULL,
    PRIMARY KEY (repo_id, branch, workflow, cron)
);
