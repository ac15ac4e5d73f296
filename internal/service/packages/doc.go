// Package packages serves package insights over seven ecosystems (service B).
//
// Read-only look-ups of packages and versions by name, by package URL and by
// the digest of a release file, in two API versions side by side: /v3, stable,
// and /v3alpha, with more operations and more fields. No operation asks for a
// credential. Systems are GO, RUBYGEMS, NPM, CARGO, MAVEN, PYPI and NUGET, in
// paths in any letter case.
//
//	GET  /v3…     /systems/{system}/packages/{name}                                   GetPackage
//	GET  /v3…     /systems/{system}/packages/{name}/versions/{version}                GetVersion
//	GET  /v3…     /systems/{system}/packages/{name}/versions/{version}:requirements   GetRequirements
//	GET  /v3…     /systems/{system}/packages/{name}/versions/{version}:dependencies   GetDependencies
//	GET  /v3…     /projects/{id}                                                      GetProject
//	GET  /v3…     /projects/{id}:packageversions                                      GetProjectPackageVersions
//	GET  /v3…     /advisories/{id}                                                    GetAdvisory
//	GET  /v3…     /query                                                              Query
//	POST /v3alpha /versionbatch                                                       GetVersionBatch
//	POST /v3alpha /projectbatch                                                       GetProjectBatch
//	GET  /v3alpha /purl/{purl}                                                        PurlLookup
//	POST /v3alpha /purlbatch                                                          PurlLookupBatch
//	GET  /v3alpha /systems/…/versions/{version}:dependents                            GetDependents
//	GET  /v3alpha /systems/…/packages/{name}:similarlyNamedPackages                   GetSimilarlyNamedPackages
//
// JSON prints scalars and lists even when empty and leaves out unset times and
// messages. A version is encoded once, when it is stored; the document of /v3
// is a prefix of that of /v3alpha, so that one stored text serves both.
//
// What the store lacks is fetched from registries on first request: those that
// are configured, and those found on the machine if packages.discover says so.
// Many callers share one fetch, a "not found" is remembered for a while, and a
// registry that is slow, down or answers garbage costs only those who asked for
// it. A caller is an address: it has a number of fetches an hour, a batch has a
// number of its own, and what callers make the store keep has a bound. Any caller
// writes what registries serve: answers take memory from the process's budget
// before they are decoded, archives, descriptors and graphs have bounds, and none
// of them ends the process. Registries are found by platform/registry; their
// names are written nowhere in the program.
//
// Below this package: catalog holds the nouns and the ecosystems' rules, source
// reads the registries, attest checks signatures, advisory matches OSV ranges, feed
// reads where these are published, manifest reads lock files, dump dumps, resolve
// makes graphs, document holds what is served encoded.
//
// Failures answer {"code","message","details"} with the canonical number of the
// failure, and the same in the headers Grpc-Status and Grpc-Message: 400 (3) for
// malformed requests, 404 (5), 405 (12), 413 and 415 (3), 500 (13), 503 (14) when
// the registry cannot be asked, 504 (4).
//
// # Where the contract is silent we decided
//
//   - B-N1: a Maven profile is {id, activation, dependencies,
//     dependencyManagement, properties, repositories}, an activation
//     {activeByDefault, jdk, os, property, file}, as the public API has them;
//     nothing follows profiles.
//   - B-N2: in addition to the listed operations we offer the graph, the dependents, the
//     project, its package versions, projects in batches, the advisory and similar
//     names, under the public names, and Query under /v3 too, where it has no
//     artifacts. Dependents are counted over the graphs resolved here; where none
//     of them holds the version, and for all that no registry tells, such as the
//     stars of a project, there is no member: a zero would be believed. Capabilities
//     of Go packages, container images and findings are not offered: nothing that
//     registries serve tells them.
//   - B-N3: PurlLookupBatch answers responses[] of {request: {purl}, result:
//     {version}}; result is left out for what is unknown.
//   - B-N4: the next page's token is nextPageToken; the empty string ends.
//   - B-N5: no credential is asked for, and one that is sent is ignored.
//   - B-N6: the error body is {code, message, details}, see above.
//   - B-N7: qualifiers or a subpath in a purl are 400.
//   - B-N8: versions have no states and emit no events; there is no request
//     limit but on fetches (429); members are only ever added to /v3, while /v3alpha may change.
//   - B-N9: RubyGems requirements are rubygems.runtimeDependencies[] and
//     rubygems.devDependencies[] of {name, requirement}.
//   - B-N10: an unknown package, version, purl, project or advisory is 404, and
//     so are requirements of GO, CARGO and PYPI. 503 means that the registry
//     could not be asked, or that there is none.
//   - B-N11: in paths and queries a system is read in any letter case, in bodies
//     exactly as the enumeration or as its number, and members of bodies in both
//     spellings of the protocol's JSON (versionKey and version_key); version is
//     left out of a batch response when
//     unknown; a page holds 2500 responses (batch_page), where the public
//     service holds 100, so that a full batch is two requests.
//   - B-N12: Query needs a hash or a system and a name; half a hash, a name
//     without a system and a version without a name are 400. A hash may be
//     narrowed by a system alone. Without a hash, artifacts is left out.
//   - B-N13: attestations of other types are listed with their type and URL and
//     with empty sourceRepository and commit.
//   - B-N14: the provenance types are https://slsa.dev/provenance/v0.2 and /v1;
//     the publish attestation is recognised by its path
//     /attestations/publish/v1, whatever host the index documents itself on. The
//     project hosts are github.com, gitlab.com and bitbucket.org; Maven reads as
//     many repositories as are configured, the first that has a package wins.
//   - A batch also fetches what it lacks, batch_fetches of it and for
//     batch_pull_time at most; keys that are not fetched are answered as unknown
//     and found another time. The header Stoa-Incomplete says how many were not
//     asked about.
//   - The default version is npm's latest tag, else the greatest version that is
//     neither withdrawn nor a pre-release; a package of which everything is
//     withdrawn has none. Maven versions that are dates count as older than
//     numbers.
//   - Published versions are never removed from the store. One that its
//     registry's list has no more is withdrawn: isDeprecated, and not the
//     default. A module proxy's list names tags only and withdraws nothing.
//   - A query by name alone answers with what is stored of each version and
//     asks the registry for the list only; a query by hash asks no registry.
//   - A graph is what the ecosystem's own tool installs for a project that needs
//     the version, on 64-bit Linux with the GNU C library; Python is
//     packages.python, crates have their default features.
//   - A graph has a node for everything that is known and an error where
//     something is not. It is kept for fresh_for, with an error for missing_for,
//     and not at all when a registry could not be asked. Thirty days later, or when there
//     are 500,000, it is deleted, and its root is no dependent any more.
package packages
