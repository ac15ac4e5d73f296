// Package pipelines runs jobs on what users push, and reports how they went.
//
// # Operations
//
// Below /api/v1.1, P standing for /project/{vcs-type}/{username}/{project}:
//
//	GET    /me                              the user behind a personal token
//	GET    /projects                        followed projects, by branch
//	GET    /recent-builds                   jobs of followed projects
//	GET    P, P/tree/{branch}               jobs of a project, of a branch
//	GET    P/{n}                            everything about a job
//	GET    P/{n}/artifacts[/{node}/{path}]  what it kept; n may be "latest"
//	GET    P/{n}/tests, /output/{step}/{node}, /log, /workflow
//	POST   P, P/tree/{branch}, P/build      run jobs
//	POST   P/{n}/retry, /ssh, /cancel, /ssh-users, /approve
//	POST   P/follow, /unfollow, /enable     DELETE P/enable
//	GET POST P/checkout-key                 GET DELETE P/checkout-key/{fingerprint}
//	POST DELETE P/ssh-key
//	GET POST P/envvar                       GET PUT DELETE P/envvar/{name}
//	GET PUT P/settings                      GET POST P/token, DELETE P/token/{id}
//	GET    P/status, P/users                DELETE P/build-cache
//	POST   P/hooks/{service}/test
//	GET    /user/repos                      POST /user/follow-projects, PUT /user/save-preferences
//
// Web pages are at the build_url of a job and above it; a project's page with .svg
// is its badge, with .cc.xml and at /cc.xml there are CCTray feeds.
//
// # Encodings
//
// Every answer, errors included, is EDN without an Accept header or with an
// empty one, compact JSON for application/json and indented JSON for anything
// else. Answers are structs; wire.Form encodes them in all three.
//
// # From a push to a job
//
// The service observes the forge: in the transaction of a push it puts the push
// on the queue. A worker reads pipeline.yml at that revision (package recipe) and
// writes all jobs of the push in one transaction. From there on package runner
// claims, runs and ends them. Unfinished jobs are bounded per owner and per
// project; a push beyond the bound makes one failed job that says so. Where the queue of an
// owner is full, the newest push to each branch and tag is kept beside it and built later.
//
// # Packages
//
// build keeps jobs, project keeps what users decide about projects, runner runs
// jobs (with execute and platform/sandbox), recipe reads pipeline.yml, web serves
// pages, vcs knows names and addresses, refusal is the error that all raise. This
// package plans jobs and is the API.
//
// # States
//
// State.Apply is the only way from one state to the next:
//
//	lifecycle     event    next        outcome              status
//	not_running   ready    queued                           queued
//	not_running   skip     not_run                          not_run
//	not_running   refuse   finished    failed, no_tests     the outcome
//	not_running   cancel   finished    canceled             canceled
//	queued        start    running                          running
//	queued        skip     not_run                          not_run
//	queued        cancel   finished    canceled             canceled
//	running       finish   finished    success              success, or fixed
//	running       finish   finished    failed, timedout,    the outcome
//	                                   no_tests, infrastructure_fail
//	running       lost     finished    infrastructure_fail  the same, or retried
//	running       cancel   finished    canceled             canceled
//
// finished and not_run are final. fixed is a success whose predecessor of the
// same name on the branch failed, timed out or broke. retried is a job whose
// worker was lost and whose work the platform has queued again by itself, as
// another job with retry_of. A job waits as not_running until what it requires
// is done; if that cannot happen any more it is not_run.
//
// # Credentials
//
// A token in the header Pipeline-Token, after Bearer, as the user of Basic with
// an empty password, or in the query parameter pipeline-token. Personal tokens
// speak for a user. Project tokens speak for one project with one scope:
// status, view-builds or all. A user needs write access to run, retry and
// cancel, and administration rights for keys, settings and tokens. What a caller
// may not see is not found.
//
// # Secrets
//
// Variables, private keys and webhooks are sealed at rest, each bound to its
// place. Answers show the last four characters of a variable at most. Jobs get
// them in their environment, and the engine masks them in output.
//
// # Where the contract is silent we decided
//
//   - G-N1 artifact: path, pretty_path, node_index, url, size; the url takes the
//     same tokens as the API. Checkout key: public_key, type, fingerprint (md5, or
//     sha256 with digest=sha256), preferred, time, and login for keys of users.
//   - G-N2 the graph above.
//   - G-N3 bodies: retry, cancel and ssh-users take an empty body and answer with
//     the summary; triggers take job, branch, revision, tag, parallel and
//     build_parameters as JSON or form and answer with the summary of the first
//     job; ssh-key takes hostname and private_key (to delete: hostname or
//     fingerprint) and answers with the public part; checkout-key takes type.
//     A sandbox has no way in: ssh runs the job again, ssh-users keeps which users
//     asked, node stays null and ssh_disabled true.
//   - G-N4 webhooks: PUT P/settings with webhooks, a list of {url, secret}, at most
//     five; and notify.webhooks of pipeline.yml. Each finished job is sent once to
//     each address, signed with HMAC-SHA256 when there is a secret.
//   - G-N5 errors: {message} in the encoding asked for. 400 for what cannot be read
//     or done, 401 without or with a bad token, 403 for what the token or user
//     may not do, 404 for what is not there or hidden, 405, 409, 413, 429, 500, 503.
//   - G-N6 thresholds: 300 requests in 10 seconds and 12,000 in an hour per user
//     (or address without a token); both are configuration.
//   - G-N7 compatibility: members are added, never removed or given another
//     meaning, within v1.1; the query token stays until a v2 exists and is not
//     shown in logs.
//   - G-N8 order: project runs and recent-builds are the two; newest first, by
//     build_num and by creation. Creation order read from its end is what "recent"
//     needs, and what clients of the public service rely on. recent_builds[] is by
//     pushed_at, newest first, jobs of any state.
//   - G-N9 a summary lacks node, messages, ssh_users, the configuration, all commits,
//     steps; shallow lacks in addition body, author, committer, compare, pull_requests,
//     build_parameters: lists stay small, and all are in the job itself. The text of
//     pipeline_yml is its member string, as clients of the vendor read it. A limit
//     above 100 means 100, a negative one is 400.
//   - G-N10 without a token: every GET below P/ of jobs (lists, details, artifacts,
//     tests, output, status) for public repositories, unless feature flag oss is off.
//   - output_url is a signed address, because clients fetch it without a token. It is good for ten
//     minutes, while the user whom the answer was for may read the project and until the
//     token of the request is revoked; what a webhook is told is for its receiver. A
//     project token shows the login of its maker.
//   - Too many unfinished jobs: 429 with the reason and Retry-After. The owner of a
//     job is the account that asked for it, not the repository's, because a user
//     who may make repositories may make many.
//   - What a configuration asks for and has no effect is a message of type warning; a
//     job for another operating system is refused unless run_foreign is set.
//   - A schedule belongs to the branch whose head asks for it; due times that passed
//     while no process ran are made up for once. why is then "schedule". While the user
//     who made it is disabled or removed, a failed job says so; the next user who pushes
//     to the branch answers for it from then on.
//   - pipeline.number counts the pipelines whose configuration asks for it. A setup
//     continues by "stoa-agent continue", once.
//   - Finished jobs are deleted when they are old or when the project has many newer ones
//     (pipelines.job_life, pipelines.kept_jobs). Their numbers are not given out again.
//   - latest is the newest job wherever something is read. /api/v1 is the same API
//     without the vcs-type. In user, name is the login and avatar_url null: a job
//     keeps who asked for it, not what the account is called today. author_login and
//     committer_login are null: a mail address in a commit proves no account.
//   - vcs_url, commit_url and compare of the sdk dialect are those of the public host,
//     because its clients take them apart.
//   - G-N11 the table above; 201 for triggers and things made, 200 otherwise.
package pipelines
