-- Counts the changes of everything a person has: what was answered under one
-- revision is the answer until the next.
ALTER TABLE tasks_users ADD COLUMN revision BIGINT NOT NULL DEFAULT 0;
