-- A location as its owner sees it: doc is the whole of it as JSON. The columns
-- are what is looked up. seq keeps the order in which locations were added.
CREATE TABLE analytics_locations (
    id         {{text}} NOT NULL PRIMARY KEY,
    owner_id   BIGINT NOT NULL,
    seq        BIGINT NOT NULL,
    doc        {{text}} NOT NULL,
    created_at {{text}} NOT NULL,
    updated_at {{text}} NOT NULL,
    UNIQUE (owner_id, seq)
);

-- Everything that can rank on a map: imported places, and locations that have
-- coordinates. tile is the quarter degree square, row by row.
CREATE TABLE analytics_places (
    id         {{text}} NOT NULL PRIMARY KEY,
    cid        {{text}} NOT NULL,
    name       {{text}} NOT NULL,
    address    {{text}} NOT NULL,
    categories {{text}} NOT NULL,
    country    {{text}} NOT NULL,
    rating     DOUBLE PRECISION NOT NULL,
    reviews    BIGINT NOT NULL,
    lat        DOUBLE PRECISION NOT NULL,
    lng        DOUBLE PRECISION NOT NULL,
    tile       BIGINT NOT NULL
);
CREATE INDEX analytics_places_tile ON analytics_places (tile);
