-- The counters of one process live in memory. Save writes them here, many keys
-- to a page, so that a restart does not hand out every budget again.
CREATE TABLE stoa_limit_pages (
    page BIGINT PRIMARY KEY,
    body {{blob}} NOT NULL
);
