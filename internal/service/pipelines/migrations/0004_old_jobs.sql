-- Jobs are deleted by age.
CREATE INDEX pipelines_builds_age ON pipelines_builds (usage_queued_at);
