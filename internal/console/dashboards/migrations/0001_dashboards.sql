-- Dashboards of users, and the graphs on them in order.
CREATE TABLE dashboards_boards (
    id         {{text}} NOT NULL PRIMARY KEY,
    user_id    BIGINT NOT NULL,
    title      {{text}} NOT NULL,
    created_at {{text}} NOT NULL
);
CREATE INDEX dashboards_boards_user ON dashboards_boards (user_id, created_at, id);

CREATE TABLE dashboards_graphs (
    id           {{text}} NOT NULL PRIMARY KEY,
    dashboard_id {{text}} NOT NULL REFERENCES dashboards_boards (id) ON DELETE CASCADE,
    place        BIGINT NOT NULL,
    title        {{text}} NOT NULL,
    query        {{text}} NOT NULL,
    span         {{text}} NOT NULL
);
CREATE INDEX dashboards_graphs_dashboard ON dashboards_graphs (dashboard_id, place, id);
