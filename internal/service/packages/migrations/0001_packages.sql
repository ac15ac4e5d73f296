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
);

-- Raw digests of release artifacts. One artifact may belong to many versions.
CREATE TABLE packages_digest (
    digest {{blob}} NOT NULL,
    kind BIGINT NOT NULL,
    package_id BIGINT NOT NULL,
    version {{text}} NOT NULL,
    PRIMARY KEY (digest, kind, package_id, version)
) WITHOUT ROWID;

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
) WITHOUT ROWID;

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
