-- One row a person: the default list and what counts against the limits.
CREATE TABLE tasks_users (
    user_id      BIGINT NOT NULL PRIMARY KEY,
    default_list {{text}} NOT NULL,
    list_count   BIGINT NOT NULL,
    task_count   BIGINT NOT NULL
);

-- open_count counts the tasks that are neither hidden nor deleted.
CREATE TABLE tasks_lists (
    id         {{text}} NOT NULL PRIMARY KEY,
    user_id    BIGINT NOT NULL REFERENCES tasks_users (user_id),
    title      {{text}} NOT NULL,
    open_count BIGINT NOT NULL,
    version    BIGINT NOT NULL,
    created_at {{text}} NOT NULL,
    updated_at {{text}} NOT NULL
);
CREATE INDEX tasks_lists_user ON tasks_lists (user_id, created_at, id);

-- parent is the empty text at the top level. rank orders siblings; ranked_at
-- says when a task was last put in its place.
CREATE TABLE tasks_tasks (
    id           {{text}} NOT NULL PRIMARY KEY,
    list_id      {{text}} NOT NULL REFERENCES tasks_lists (id) ON DELETE CASCADE,
    user_id      BIGINT NOT NULL,
    parent       {{text}} NOT NULL,
    rank         {{text}} NOT NULL,
    ranked_at    {{text}} NOT NULL,
    title        {{text}} NOT NULL,
    notes        {{text}} NOT NULL,
    status       {{text}} NOT NULL CHECK (status IN ('needsAction', 'completed')),
    due          {{text}},
    completed_at {{text}},
    hidden       {{bool}} NOT NULL,
    deleted      {{bool}} NOT NULL,
    version      BIGINT NOT NULL,
    updated_at   {{text}} NOT NULL
);
CREATE INDEX tasks_tasks_siblings ON tasks_tasks (list_id, parent, rank, id);
CREATE INDEX tasks_tasks_completed ON tasks_tasks (list_id) WHERE completed_at IS NOT NULL;
