-- A graph that was resolved for another version of Python is not served.
ALTER TABLE packages_graph ADD COLUMN resolver {{text}} NOT NULL DEFAULT '';
