// Package events serves what happens to repositories, as feeds that clients
// poll, and the request limits of the code host (service I).
//
// # Operations
//
// Feeds, newest first, at most 300 events of the last 30 days:
//
//	GET /events                               everything public
//	GET /networks/{owner}/{repo}/events       a repository and its forks, public
//	GET /orgs/{org}/events                    an organization, public
//	GET /repos/{owner}/{repo}/events          a repository
//	GET /repositories/{id}/events             the same, by number
//	GET /users/{username}/events              what a user did
//	GET /users/{username}/events/public       the public part of it
//	GET /users/{username}/events/orgs/{org}   a member's view of an organization
//	GET /users/{username}/received_events     what concerns a user
//	GET /users/{username}/received_events/public
//
// GET /rate_limit shows what is left of the primary limits, GET /versions the
// dates of the API. The repositories of the forge are created, read, changed,
// forked, starred, shared and deleted at /user/repos, /orgs/{org}/repos,
// /repos/…, /repositories/{id} and /user/starred/…: the forge has its REST API
// here, so that everything that creates content passes the same limits.
// POST /repos/{owner}/{repo}/events records what an integration observed.
//
// Issues, labels, pull requests, reviews and comments (package discussions) and releases
// (package releases) are made, read and changed below /repos/{owner}/{repo}. Hooks of
// repositories and organizations (package hooks) are told every event of the feeds.
//
// Apps (package apps) prove themselves with a private key and get tokens for the accounts
// that they are installed on.
//
// What the feeds lead through and to is read here too: users, organizations and their
// members; lists of repositories by owner, star, fork and subscription; branches, tags,
// refs, commits, comparisons, folders, files, archives and languages; stargazers,
// subscribers and collaborators. Every address that an answer holds is an operation of
// this table; those of pages and of git itself aside.
//
// POST /graphql and /api/graphql answer queries in GraphQL about the same objects (packages
// graphql and graphqlobjects); packages access, discussions and releases decide for both.
//
// Everything is served below /api/v3 as well, where clients look for a code host of
// one's own, with links that stay there.
//
// # Where events come from
//
// The service observes the forge, and discussions and releases tell it what they do: an
// event is written in the transaction of the change. A push of a new branch with commits is a CreateEvent
// and a PushEvent; tags are created and deleted; a moved tag is both. The
// payload of a PushEvent holds the contract's members and repository_id, and at
// most the newest 20 commits; where more branches change at once than the forge looks
// at, the new ones have a CreateEvent only and the others no commits.
//
// # Polling
//
// Every page has an ETag made of its bytes. A request that names it gets 304 if
// and only if the page would be the same, and is not counted. Pages are encoded
// once and cached; see newTimelineCache for why a cached one never hides an event.
// Last-Modified is sent, but If-Modified-Since is ignored: it could not tell two
// events of one second apart.
//
// # Credentials
//
// "Bearer" and "token" with any token of the service, Basic with a client's id
// and secret (public data only) or with a token as the password. What a caller
// may not see is not found. Permissions are scopes: metadata:read for private
// repositories, events:read for one's own private activity,
// organization_events:read for the view of an organization, and those of the
// forge for changes. A token of one repository does not act for a user: it may see
// and change that repository, and see what is public.
//
// # Limits
//
// The primary table is budgetOf, the secondary windows are secondary; every
// number is configuration. Both are counted by platform/limit. A refused
// request is 403; the body of a secondary refusal names it, and Retry-After
// says how long to wait. A caller that goes on while refused is banned, twice as
// long each time.
//
// # Where the contract is silent we decided
//
//   - I-N1 payloads of other types: the public service's shapes; required
//     members, their kinds and the values of action are checked when an
//     integration records them, everything else is kept as sent.
//   - I-N2 defaults: page 1, per_page 30, also for /events.
//   - I-N3 further feeds: the three of the public service, see above.
//   - I-N4 body of /rate_limit: {resources: {core, graphql}, rate}, each with limit, used,
//     remaining, reset; rate is core, and left out from version 2026-03-10 on. There are two
//     primary budgets, so no other is listed.
//   - I-N5 costs: 1 and 5 points everywhere.
//   - I-N6 compatibility: a version is supported for 24 months after the next
//     one; in its last year answers carry Deprecation and Sunset, after that it
//     is 410, and requests without a version move to the next oldest.
//   - I-N7 304: on every feed and every object. A tag without its quotes is taken as
//     well: it cannot be mistaken for another.
//   - I-N8 refusals: unknown or hidden repositories and organizations are 404,
//     another user's view of an organization too; a permission that the token
//     lacks is 403. The feeds of a name without a user are empty, as those of a
//     user without public events, so that they do not list accounts. The object of a
//     user is 404 without a credential unless the user shows in something public.
//     Memberships of organizations are shown to members.
//   - I-N9 exceeded limits: 403 for both, with {message, documentation_url,
//     status}; the documentation_url of a secondary one ends in
//     secondary-rate-limits, by which clients recognize it.
//   - I-N10 versions: none means the oldest supported, an unknown one is 400.
//     per_page above 100 means 100; a page past the 300th event is 422. A feed whose
//     events are long ends after 6 MiB of them.
//   - I-N11 org has the members of actor but display_login; lists are newest
//     first; GraphQL is at /graphql and /api/graphql.
//
// Beyond the contract's own rows:
//
//   - Lists of what a repository, user or organization cannot have here
//     (milestones, the events of one issue, followers and the like) are empty, not
//     missing: strict clients need their addresses. merges_url is null: pull requests
//     merge.
//   - A pull request joins two branches of one repository; a fork's branch is pushed
//     there first. It is merged or squashed by a real commit, not rebased. One whose
//     commits were pushed to the base by hand stays open until it is merged here, which
//     then makes no further commit.
//   - The merge of a pull request is the action merged of its event, as in the current
//     set of actions; edits of texts are no event.
//   - Reviews are submitted at once: there are no pending ones. A comment on a line is
//     about a line that the last commit's difference shows.
//   - Users who may read a repository open issues and pull requests and comment; labels
//     and assignees take the right to write, and are refused, not ignored, without it.
//     Apps act as slug[bot], tokens of one repository as workflow[bot] or project[bot].
//   - Apps: a proof of an app's key reads what is public beside its own operations. An app
//     is installed by the operator; write includes read, and metadata:read is always given.
//     Asking for more permissions or repositories than the installation has is 422.
//   - Releases have no files beside the archives of their tag: uploads are 404.
//   - Private discussions need issues:read or pull_requests:read beside metadata:read,
//     releases and comments on commits contents:read.
//   - Hooks are for those who administer; others do not find them. A hook is sent the
//     payload of the feed with repository, sender and organization, and a push with the
//     words of hooks besides (after, created, deleted, pusher, compare, head_commit, and
//     the id of each commit). One message after the other, tried for ten minutes.
//     Certificates are always verified, so insecure_ssl is refused. What cannot be sent
//     because it is longer than 250 KiB is listed among the deliveries with the reason.
//   - Discussions that only GraphQL makes, and wikis, are not offered; their events are
//     recorded by integrations.
//   - GraphQL has the part of the public schema that the vendor's terminal program asks for,
//     as far as there is a true answer; milestones, projects, reactions and the like are
//     empty there as in REST. Every change in one query is made for itself: one that is
//     refused undoes none before it. A query is worth one point for each 100 lists. node(id)
//     finds whatever shows an id there; ids of branches and commits name their repository.
//   - /meta says which version of the vendor's server is spoken, by which clients choose
//     what they ask for; it tells of no addresses.
//   - Branches and tags are deleted by REST; the default branch stays.
//   - author and committer of a commit are null: an address in a commit is a claim, and
//     accounts do not prove theirs. verification says that signatures are not looked at.
//   - The content of private repositories needs contents:read beside metadata:read.
//     Files above 1 MiB are not in JSON, above 4 MiB and archives above 8 MiB not
//     served; git fetches them.
//   - git_url, ssh_url and svn_url are the clone_url: git is served over HTTP alone.
//   - I-19 says how late events may be. They are shown at once unless events.latency
//     says otherwise.
//   - I-33 counts requests from when their body has arrived: what is still being sent
//     keeps no worker busy, and has limits of its own.
package events
