-- Deleted tasks count too: they are kept for a time, and for as long as there is
-- room for them.
ALTER TABLE tasks_users ADD COLUMN deleted_count BIGINT NOT NULL DEFAULT 0;
UPDATE tasks_users SET deleted_count = (SELECT COUNT(*) FROM tasks_tasks t WHERE t.user_id = tasks_users.user_id AND t.deleted);
CREATE INDEX tasks_tasks_deleted ON tasks_tasks (user_id, updated_at, id) WHERE deleted;
