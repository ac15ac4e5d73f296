-- What administrators and credentials did. Rows are added in the transaction of the
-- act and removed when they are older than the setting audit.keep. area is the first
-- word of the action. Every index ends as the list is ordered, so that a page of a
-- filtered list takes as long wherever it is.
CREATE TABLE audit_entries (
    id           {{serial}},
    happened_at  {{text}} NOT NULL,
    actor        {{text}} NOT NULL,
    folded_actor {{text}} NOT NULL,
    credential   {{text}} NOT NULL,
    network      {{text}} NOT NULL,
    request      {{text}} NOT NULL,
    area         {{text}} NOT NULL,
    action       {{text}} NOT NULL,
    object       {{text}} NOT NULL,
    outcome      {{text}} NOT NULL,
    detail       {{text}} NOT NULL
);
CREATE INDEX audit_entries_time ON audit_entries (happened_at, id);
CREATE INDEX audit_entries_actor ON audit_entries (folded_actor, happened_at, id);
CREATE INDEX audit_entries_area ON audit_entries (area, happened_at, id);
CREATE INDEX audit_entries_action ON audit_entries (action, happened_at, id);
