-- page_views is written in batches. renderer is the version of the renderer
-- that made rendered; another one makes it again.
ALTER TABLE articles_items ADD COLUMN page_views BIGINT NOT NULL DEFAULT 0;
ALTER TABLE articles_items ADD COLUMN renderer BIGINT NOT NULL DEFAULT 0;
ALTER TABLE articles_comments ADD COLUMN renderer BIGINT NOT NULL DEFAULT 0;
CREATE INDEX articles_items_renderer ON articles_items (renderer, number);
CREATE INDEX articles_comments_renderer ON articles_comments (renderer, number);
CREATE INDEX articles_items_shown ON articles_items (team_id, number) WHERE NOT private;

ALTER TABLE articles_people ADD COLUMN followees_count BIGINT NOT NULL DEFAULT 0;
ALTER TABLE articles_people ADD COLUMN followers_count BIGINT NOT NULL DEFAULT 0;

-- thing is the user who is followed.
CREATE TABLE articles_user_follows (
    number     {{serial}},
    thing      BIGINT NOT NULL,
    user_id    BIGINT NOT NULL,
    created_at {{text}} NOT NULL,
    UNIQUE (thing, user_id)
);
CREATE INDEX articles_user_follows_user ON articles_user_follows (user_id, number);
CREATE INDEX articles_user_follows_thing ON articles_user_follows (thing, number);
CREATE INDEX articles_stocks_item ON articles_stocks (item, number);
CREATE INDEX articles_likes_item ON articles_likes (item, number);

CREATE TABLE articles_group_members (
    number       {{serial}},
    group_number BIGINT NOT NULL REFERENCES articles_groups (number) ON DELETE CASCADE,
    user_id      BIGINT NOT NULL,
    created_at   {{text}} NOT NULL,
    UNIQUE (group_number, user_id)
);
CREATE INDEX articles_group_members_user ON articles_group_members (user_id, group_number);
