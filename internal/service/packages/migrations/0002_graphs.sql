-- Graphs need what was not read before: features of crates, Python versions of
-- distributions, platforms and peers of npm packages, requirements inside wheels.
-- What registries told is asked for again; what was resolved from it is dropped.
UPDATE packages_version SET complete = FALSE, requires = ''
    WHERE package_id IN (SELECT id FROM packages_package WHERE checked IS NOT NULL AND system IN (1, 3, 4, 6, 7));
UPDATE packages_package SET etag = '', modified = '', checked = '1970-01-01T00:00:00.000000Z'
    WHERE checked IS NOT NULL AND system IN (1, 3, 4, 6, 7);
DELETE FROM packages_graph;
DELETE FROM packages_depends;
