-- The text index. Weight A is the title, B the facets, C code and D the rest.
CREATE TABLE articles_search (
    item  BIGINT NOT NULL PRIMARY KEY REFERENCES articles_items (number) ON DELETE CASCADE,
    terms TSVECTOR NOT NULL
);
CREATE INDEX articles_search_terms ON articles_search USING GIN (terms);
