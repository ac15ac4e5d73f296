-- team_id is 0 on the public site. number orders what was made in the same
-- moment; id is what clients see. rendered is the sanitised HTML of body.
-- A group that holds something cannot go: whoever deletes one empties it first.
CREATE TABLE articles_groups (
    number      {{serial}},
    team_id     BIGINT NOT NULL,
    url_name    {{text}} NOT NULL,
    name        {{text}} NOT NULL,
    description {{text}} NOT NULL,
    private     {{bool}} NOT NULL,
    created_at  {{text}} NOT NULL,
    updated_at  {{text}} NOT NULL,
    UNIQUE (team_id, url_name)
);

CREATE TABLE articles_items (
    number          {{serial}},
    id              {{text}} NOT NULL UNIQUE,
    team_id         BIGINT NOT NULL,
    user_id         BIGINT NOT NULL,
    group_number    BIGINT REFERENCES articles_groups (number),
    title           {{text}} NOT NULL,
    body            {{text}} NOT NULL,
    rendered        {{text}} NOT NULL,
    private         {{bool}} NOT NULL,
    coediting       {{bool}} NOT NULL,
    slide           {{bool}} NOT NULL,
    comments_count  BIGINT NOT NULL DEFAULT 0,
    likes_count     BIGINT NOT NULL DEFAULT 0,
    reactions_count BIGINT NOT NULL DEFAULT 0,
    stocks_count    BIGINT NOT NULL DEFAULT 0,
    created_at      {{text}} NOT NULL,
    updated_at      {{text}} NOT NULL
);
CREATE INDEX articles_items_place ON articles_items (team_id, number);
CREATE INDEX articles_items_user ON articles_items (user_id, team_id, number);
CREATE INDEX articles_items_group ON articles_items (group_number) WHERE group_number IS NOT NULL;

-- folded is the name in lower case, by which a tag is found. items_count
-- leaves private items out.
CREATE TABLE articles_tags (
    number          {{serial}},
    team_id         BIGINT NOT NULL,
    name            {{text}} NOT NULL,
    folded          {{text}} NOT NULL,
    items_count     BIGINT NOT NULL DEFAULT 0,
    followers_count BIGINT NOT NULL DEFAULT 0,
    UNIQUE (team_id, folded)
);
CREATE INDEX articles_tags_count ON articles_tags (team_id, items_count, number);

-- The number of a tagging says when the item was tagged; place is where the
-- author put the tag among the others. versions is a JSON array.
CREATE TABLE articles_taggings (
    number   {{serial}},
    item     BIGINT NOT NULL REFERENCES articles_items (number) ON DELETE CASCADE,
    tag      BIGINT NOT NULL REFERENCES articles_tags (number),
    place    BIGINT NOT NULL,
    versions {{text}} NOT NULL,
    UNIQUE (item, tag)
);
CREATE INDEX articles_taggings_tag ON articles_taggings (tag, number);

CREATE TABLE articles_comments (
    number     {{serial}},
    id         {{text}} NOT NULL UNIQUE,
    item       BIGINT NOT NULL REFERENCES articles_items (number) ON DELETE CASCADE,
    user_id    BIGINT NOT NULL,
    body       {{text}} NOT NULL,
    rendered   {{text}} NOT NULL,
    created_at {{text}} NOT NULL,
    updated_at {{text}} NOT NULL
);
CREATE INDEX articles_comments_item ON articles_comments (item, number);

CREATE TABLE articles_likes (
    number     {{serial}},
    item       BIGINT NOT NULL REFERENCES articles_items (number) ON DELETE CASCADE,
    user_id    BIGINT NOT NULL,
    created_at {{text}} NOT NULL,
    UNIQUE (item, user_id)
);

CREATE TABLE articles_stocks (
    number     {{serial}},
    item       BIGINT NOT NULL REFERENCES articles_items (number) ON DELETE CASCADE,
    user_id    BIGINT NOT NULL,
    created_at {{text}} NOT NULL,
    UNIQUE (item, user_id)
);
CREATE INDEX articles_stocks_user ON articles_stocks (user_id, number);

-- comment is 0 for a reaction to the item itself.
CREATE TABLE articles_reactions (
    number     {{serial}},
    item       BIGINT NOT NULL REFERENCES articles_items (number) ON DELETE CASCADE,
    comment    BIGINT NOT NULL,
    user_id    BIGINT NOT NULL,
    name       {{text}} NOT NULL,
    created_at {{text}} NOT NULL,
    UNIQUE (item, comment, user_id, name)
);

CREATE TABLE articles_tag_follows (
    number     {{serial}},
    tag        BIGINT NOT NULL REFERENCES articles_tags (number),
    user_id    BIGINT NOT NULL,
    created_at {{text}} NOT NULL,
    UNIQUE (tag, user_id)
);
CREATE INDEX articles_tag_follows_user ON articles_tag_follows (user_id, number);

-- tags is a JSON array of {name, versions}.
CREATE TABLE articles_templates (
    number       {{serial}},
    team_id      BIGINT NOT NULL,
    group_number BIGINT REFERENCES articles_groups (number),
    name         {{text}} NOT NULL,
    title        {{text}} NOT NULL,
    body         {{text}} NOT NULL,
    tags         {{text}} NOT NULL,
    coedit       {{bool}} NOT NULL,
    created_at   {{text}} NOT NULL,
    updated_at   {{text}} NOT NULL
);
CREATE INDEX articles_templates_team ON articles_templates (team_id, number);
CREATE INDEX articles_templates_group ON articles_templates (group_number) WHERE group_number IS NOT NULL;

-- items_count counts items on the public site that are not private.
CREATE TABLE articles_people (
    user_id     BIGINT NOT NULL PRIMARY KEY,
    items_count BIGINT NOT NULL
);
