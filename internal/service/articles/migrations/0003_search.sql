-- The text index. What it holds are words that the service has cut itself, so
-- the tokenizer only has to find the blanks between them.
CREATE VIRTUAL TABLE articles_search USING fts5 (
    title, body, code, facets,
    content = '', contentless_delete = 1,
    tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* Co' tokenchars '+#_'"
);
