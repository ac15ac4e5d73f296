-- In which order the repositories of an owner left their old names; zero is before all others.
ALTER TABLE forge_redirects ADD COLUMN number BIGINT NOT NULL DEFAULT 0;
