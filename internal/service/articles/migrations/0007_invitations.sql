-- Open invitations to teams. The address that a guest follows is signed, not stored.
CREATE TABLE articles_invitations (
    team_id    BIGINT NOT NULL,
    email      {{text}} NOT NULL,
    user_id    BIGINT NOT NULL,
    created_at {{text}} NOT NULL,
    expires_at {{text}} NOT NULL,
    PRIMARY KEY (team_id, email)
);
