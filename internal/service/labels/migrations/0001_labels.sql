-- Labels. definition is the JSON of what the label's owner wrote: properties and fields.
CREATE TABLE labels_labels (
    id           {{text}} NOT NULL PRIMARY KEY,
    owner_id     BIGINT NOT NULL,
    label_type   {{text}} NOT NULL,
    state        {{text}} NOT NULL,
    definition   {{text}} NOT NULL,
    created_at   {{text}} NOT NULL,
    changed_at   {{text}} NOT NULL,
    published_at {{text}},
    published_by BIGINT
);
CREATE INDEX labels_labels_owner ON labels_labels (owner_id, id);
CREATE INDEX labels_labels_shared ON labels_labels (label_type, state, id);
