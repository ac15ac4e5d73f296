-- A person who has used the service. The address is what other people name
-- them by; it never changes once it is here. Both sequences count changes of
-- what belongs to the person alone. The counts are the rows of their list, of
-- their channels, and of those channels the ones that are not marked as ended.
CREATE TABLE calendar_people (
    user_id BIGINT PRIMARY KEY,
    address {{text}} NOT NULL UNIQUE,
    name {{text}} NOT NULL,
    list_seq BIGINT NOT NULL,
    settings_seq BIGINT NOT NULL,
    entry_count BIGINT NOT NULL,
    channel_count BIGINT NOT NULL,
    unended_count BIGINT NOT NULL
);

-- A calendar. Every change of its events takes the next events_seq, so that
-- "what changed since" is a range. rules_seq is the last change that took
-- instances away from a series, purged_seq the newest row that was forgotten:
-- whoever synchronized before has to start over. event_count is the number of
-- rows of calendar_events.
CREATE TABLE calendar_calendars (
    id {{text}} PRIMARY KEY,
    owner_id BIGINT NOT NULL,
    client_id {{text}} NOT NULL,
    is_primary {{bool}} NOT NULL,
    doc {{blob}} NOT NULL,
    version BIGINT NOT NULL,
    updated {{text}} NOT NULL,
    events_seq BIGINT NOT NULL,
    rules_seq BIGINT NOT NULL,
    purged_seq BIGINT NOT NULL,
    acl_seq BIGINT NOT NULL,
    event_count BIGINT NOT NULL
);

CREATE INDEX calendar_calendars_owner ON calendar_calendars (owner_id);

-- Who may do what with a calendar. The role none is a rule that was deleted.
CREATE TABLE calendar_acl (
    calendar_id {{text}} NOT NULL,
    scope_type {{text}} NOT NULL,
    scope_value {{text}} NOT NULL,
    role {{text}} NOT NULL,
    seq BIGINT NOT NULL,
    updated {{text}} NOT NULL,
    PRIMARY KEY (calendar_id, scope_type, scope_value)
);

CREATE INDEX calendar_acl_seq ON calendar_acl (calendar_id, seq);

-- A calendar on a person's list, with how that person wants to see it.
CREATE TABLE calendar_entries (
    user_id BIGINT NOT NULL,
    calendar_id {{text}} NOT NULL,
    doc {{blob}} NOT NULL,
    deleted {{bool}} NOT NULL,
    seq BIGINT NOT NULL,
    updated {{text}} NOT NULL,
    PRIMARY KEY (user_id, calendar_id)
);

CREATE INDEX calendar_entries_seq ON calendar_entries (user_id, seq);
CREATE INDEX calendar_entries_calendar ON calendar_entries (calendar_id);

-- An event, a series, or an instance of a series that differs from it (series
-- is then the id of that). starts and ends span all instances; an endless
-- series has no ends.
CREATE TABLE calendar_events (
    calendar_id {{text}} NOT NULL,
    id {{text}} NOT NULL,
    series {{text}} NOT NULL,
    uid {{text}} NOT NULL,
    cancelled {{bool}} NOT NULL,
    recurring {{bool}} NOT NULL,
    starts {{text}} NOT NULL,
    ends {{text}},
    seq BIGINT NOT NULL,
    updated {{text}} NOT NULL,
    doc {{blob}} NOT NULL,
    PRIMARY KEY (calendar_id, id)
);

CREATE INDEX calendar_events_seq ON calendar_events (calendar_id, seq);
CREATE INDEX calendar_events_starts ON calendar_events (calendar_id, starts, id);
CREATE INDEX calendar_events_series ON calendar_events (calendar_id, series) WHERE series <> '';
CREATE INDEX calendar_events_uid ON calendar_events (calendar_id, uid);
CREATE INDEX calendar_events_purge ON calendar_events (updated) WHERE cancelled;

-- What a person set otherwise than the defaults.
CREATE TABLE calendar_settings (
    user_id BIGINT NOT NULL,
    id {{text}} NOT NULL,
    value {{text}} NOT NULL,
    seq BIGINT NOT NULL,
    PRIMARY KEY (user_id, id)
);

-- A notification channel. resource names the watched collection, number is
-- the message sent last. The address and the token are sealed. A channel that
-- ended stays for a while, because its id must not be used again.
CREATE TABLE calendar_channels (
    id {{text}} PRIMARY KEY,
    resource {{text}} NOT NULL,
    resource_uri {{text}} NOT NULL,
    user_id BIGINT NOT NULL,
    client_id {{text}} NOT NULL,
    sealed {{blob}} NOT NULL,
    number BIGINT NOT NULL,
    created {{text}} NOT NULL,
    expires {{text}},
    ended {{text}}
);

CREATE INDEX calendar_channels_live ON calendar_channels (resource, expires) WHERE ended IS NULL;
CREATE INDEX calendar_channels_user ON calendar_channels (user_id, expires) WHERE ended IS NULL;
