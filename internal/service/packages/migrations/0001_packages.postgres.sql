-- The same tables as on SQLite. The two that grow with every version and every
-- artifact are partitioned by hash, so that vacuum, reindexing and bulk loads
-- work on a sixteenth at a time.
-- A package and its two encoded documents, one for each API version. checked
-- is when a registry was last asked; it is empty for packages that only an
-- import brought. shape is the name without what typing mistakes change.
CREATE TABLE packages_package (
    id {{serial}},
    system BIGINT NOT NULL,
    name {{text}} NOT NULL,
    shape {{text}} NOT NULL,
    tag {{text}} NOT NULL,
    etag {{text}} NOT NULL,
    modified {{text}} NOT NULL,
    checked {{text}},
    doc_v3 {{blob}} NOT NULL,
    doc_alpha {{blob}} NOT NULL
);

CREATE UNIQUE INDEX packages_package_key ON packages_package (system, name);
CREATE INDEX packages_package_shape ON packages_package (system, shape);
CREATE INDEX packages_package_checked ON packages_package (system, checked) WHERE checked IS NOT NULL;

-- A version. doc is its document as served: the first cut bytes and a closing
-- brace are the document of the stable API version, the whole is that of the
-- other. artifacts and requires come last, so that reading doc does not touch
-- the pages they overflow to.
CREATE TABLE packages_version (
    package_id BIGINT NOT NULL,
    version {{text}} NOT NULL,
    complete {{bool}} NOT NULL,
    cut BIGINT NOT NULL,
    doc {{blob}} NOT NULL,
    artifacts {{blob}} NOT NULL,
    requires {{blob}} NOT NULL,
    PRIMARY KEY (package_id, version)
) PARTITION BY HASH (package_id);

CREATE TABLE packages_version_0 PARTITION OF packages_version FOR VALUES WITH (MODULUS 16, REMAINDER 0);
CREATE TABLE packages_version_1 PARTITION OF packages_version FOR VALUES WITH (MODULUS 16, REMAINDER 1);
CREATE TABLE packages_version_2 PARTITION OF packages_version FOR VALUES WITH (MODULUS 16, REMAINDER 2);
CREATE TABLE packages_version_3 PARTITION OF packages_version FOR VALUES WITH (MODULUS 16, REMAINDER 3);
CREATE TABLE packages_version_4 PARTITION OF packages_version FOR VALUES WITH (MODULUS 16, REMAINDER 4);
CREATE TABLE packages_version_5 PARTITION OF packages_version FOR VALUES WITH (MODULUS 16, REMAINDER 5);
CREATE TABLE packages_version_6 PARTITION OF packages_version FOR VALUES WITH (MODULUS 16, REMAINDER 6);
CREATE TABLE packages_version_7 PARTITION OF packages_version FOR VALUES WITH (MODULUS 16, REMAINDER 7);
CREATE TABLE packages_version_8 PARTITION OF packages_version FOR VALUES WITH (MODULUS 16, REMAINDER 8);
CREATE TABLE packages_version_9 PARTITION OF packages_version FOR VALUES WITH (MODULUS 16, REMAINDER 9);
CREATE TABLE packages_version_10 PARTITION OF packages_version FOR VALUES WITH (MODULUS 16, REMAINDER 10);
CREATE TABLE packages_version_11 PARTITION OF packages_version FOR VALUES WITH (MODULUS 16, REMAINDER 11);
CREATE TABLE packages_version_12 PARTITION OF packages_version FOR VALUES WITH (MODULUS 16, REMAINDER 12);
CREATE TABLE packages_version_13 PARTITION OF packages_version FOR VALUES WITH (MODULUS 16, REMAINDER 13);
CREATE TABLE packages_version_14 PARTITION OF packages_version FOR VALUES WITH (MODULUS 16, REMAINDER 14);
CREATE TABLE packages_version_15 PARTITION OF packages_version FOR VALUES WITH (MODULUS 16, REMAINDER 15);

-- Raw digests of release artifacts. One artifact may belong to many versions.
CREATE TABLE packages_digest (
    digest {{blob}} NOT NULL,
    kind BIGINT NOT NULL,
    package_id BIGINT NOT NULL,
    version {{text}} NOT NULL,
    PRIMARY KEY (digest, kind, package_id, version)
) PARTITION BY HASH (digest);

CREATE TABLE packages_digest_0 PARTITION OF packages_digest FOR VALUES WITH (MODULUS 16, REMAINDER 0);
CREATE TABLE packages_digest_1 PARTITION OF packages_digest FOR VALUES WITH (MODULUS 16, REMAINDER 1);
CREATE TABLE packages_digest_2 PARTITION OF packages_digest FOR VALUES WITH (MODULUS 16, REMAINDER 2);
CREATE TABLE packages_digest_3 PARTITION OF packages_digest FOR VALUES WITH (MODULUS 16, REMAINDER 3);
CREATE TABLE packages_digest_4 PARTITION OF packages_digest FOR VALUES WITH (MODULUS 16, REMAINDER 4);
CREATE TABLE packages_digest_5 PARTITION OF packages_digest FOR VALUES WITH (MODULUS 16, REMAINDER 5);
CREATE TABLE packages_digest_6 PARTITION OF packages_digest FOR VALUES WITH (MODULUS 16, REMAINDER 6);
CREATE TABLE packages_digest_7 PARTITION OF packages_digest FOR VALUES WITH (MODULUS 16, REMAINDER 7);
CREATE TABLE packages_digest_8 PARTITION OF packages_digest FOR VALUES WITH (MODULUS 16, REMAINDER 8);
CREATE TABLE packages_digest_9 PARTITION OF packages_digest FOR VALUES WITH (MODULUS 16, REMAINDER 9);
CREATE TABLE packages_digest_10 PARTITION OF packages_digest FOR VALUES WITH (MODULUS 16, REMAINDER 10);
CREATE TABLE packages_digest_11 PARTITION OF packages_digest FOR VALUES WITH (MODULUS 16, REMAINDER 11);
CREATE TABLE packages_digest_12 PARTITION OF packages_digest FOR VALUES WITH (MODULUS 16, REMAINDER 12);
CREATE TABLE packages_digest_13 PARTITION OF packages_digest FOR VALUES WITH (MODULUS 16, REMAINDER 13);
CREATE TABLE packages_digest_14 PARTITION OF packages_digest FOR VALUES WITH (MODULUS 16, REMAINDER 14);
CREATE TABLE packages_digest_15 PARTITION OF packages_digest FOR VALUES WITH (MODULUS 16, REMAINDER 15);

-- Which versions belong to a project. rank orders them: what an attestation
-- proves comes first.
CREATE TABLE packages_project (
    project {{text}} NOT NULL,
    rank BIGINT NOT NULL,
    package_id BIGINT NOT NULL,
    version {{text}} NOT NULL,
    relation {{text}} NOT NULL,
    provenance {{text}} NOT NULL,
    PRIMARY KEY (project, rank, package_id, version, relation)
);

-- Advisories, what they are also called, and which packages they affect.
CREATE TABLE packages_advisory (
    id {{text}} PRIMARY KEY,
    modified {{text}} NOT NULL,
    doc {{blob}} NOT NULL
);

CREATE TABLE packages_alias (
    alias {{text}} NOT NULL,
    advisory {{text}} NOT NULL,
    PRIMARY KEY (alias, advisory)
);

CREATE INDEX packages_alias_advisory ON packages_alias (advisory);

CREATE TABLE packages_affected (
    system BIGINT NOT NULL,
    name {{text}} NOT NULL,
    advisory {{text}} NOT NULL,
    ranges {{blob}} NOT NULL,
    PRIMARY KEY (system, name, advisory)
);

CREATE INDEX packages_affected_advisory ON packages_affected (advisory);

-- Resolved graphs, kept until they are stale or their version changes, and who
-- depends on a version in any of them.
CREATE TABLE packages_graph (
    package_id BIGINT NOT NULL,
    version {{text}} NOT NULL,
    stale {{text}} NOT NULL,
    doc {{blob}} NOT NULL,
    PRIMARY KEY (package_id, version)
);

CREATE TABLE packages_depends (
    system BIGINT NOT NULL,
    name {{text}} NOT NULL,
    version {{text}} NOT NULL,
    package_id BIGINT NOT NULL,
    dependent {{text}} NOT NULL,
    direct {{bool}} NOT NULL,
    PRIMARY KEY (system, name, version, package_id, dependent)
);

CREATE INDEX packages_depends_dependent ON packages_depends (package_id, dependent);

-- How far an import has come, by the file's digest, so that it can go on.
CREATE TABLE packages_import (
    file {{blob}} PRIMARY KEY,
    done BIGINT NOT NULL,
    total BIGINT NOT NULL
);

-- How many versions are stored because callers asked for their packages.
CREATE TABLE packages_fetched (
    id       BIGINT PRIMARY KEY,
    versions BIGINT NOT NULL
);

INSERT INTO packages_fetched (id, versions) VALUES (1, 0);
