-- What users say of themselves; empty is not said.
CREATE TABLE articles_profiles (
    user_id              BIGINT NOT NULL PRIMARY KEY,
    description          {{text}} NOT NULL,
    social_a_id          {{text}} NOT NULL,
    social_b_id          {{text}} NOT NULL,
    social_c_screen_name {{text}} NOT NULL,
    code_host_login_name {{text}} NOT NULL,
    location             {{text}} NOT NULL,
    organization         {{text}} NOT NULL,
    website_url          {{text}} NOT NULL
);

-- The bytes are in the blob store. month counts since year 0, so that a month's
-- pictures of a user are summed by it; a deleted picture still counts.
CREATE TABLE articles_pictures (
    id         {{text}} NOT NULL PRIMARY KEY,
    user_id    BIGINT NOT NULL,
    month      BIGINT NOT NULL,
    bytes      BIGINT NOT NULL,
    deleted    {{bool}} NOT NULL,
    created_at {{text}} NOT NULL
);
CREATE INDEX articles_pictures_user ON articles_pictures (user_id, month);

CREATE TABLE articles_thanks (
    number     {{serial}},
    comment    BIGINT NOT NULL REFERENCES articles_comments (number) ON DELETE CASCADE,
    user_id    BIGINT NOT NULL,
    created_at {{text}} NOT NULL,
    UNIQUE (comment, user_id)
);
