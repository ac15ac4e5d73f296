-- What lists of pull requests are chosen by. data is our own text, in which a quote inside a value is escaped.
ALTER TABLE events_issues ADD COLUMN merged {{bool}} NOT NULL DEFAULT FALSE;
ALTER TABLE events_issues ADD COLUMN draft {{bool}} NOT NULL DEFAULT FALSE;
UPDATE events_issues SET merged = TRUE WHERE pull = TRUE AND data LIKE '%"MergedAt":"%';
UPDATE events_issues SET draft = TRUE WHERE pull = TRUE AND data LIKE '%"Draft":true%';
