-- How far the advisories of an ecosystem were read from where they are published: the
-- state of the archive, and when the record changed that changed last.
CREATE TABLE packages_feed (
    source {{text}} NOT NULL,
    ecosystem {{text}} NOT NULL,
    tag {{text}} NOT NULL,
    newest {{text}} NOT NULL,
    PRIMARY KEY (source, ecosystem)
);
