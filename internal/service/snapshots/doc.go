// Package snapshots stores metrics and draws graphs of them as PNG pictures
// (service E).
//
//	GET  /api/v1/graph/snapshot                  ask for a picture (the contract's one operation)
//	POST /api/v1/graph/snapshot                  the same with a JSON body
//	GET  /api/v1/graph/snapshot_status/{path}    whether the picture is ready
//	GET  /snapshot/view/{path}.png               the picture
//	GET  /api/v1/validate                        whether the API key is good
//	POST /api/v1/series, /api/v2/series          points, two versions
//	POST /api/v1/distribution_points             distributions
//	POST /api/v1/check_run                       runs of checks, kept as their status
//	POST /api/v1/write                           Prometheus remote write, version 1
//	POST /v1/metrics, /api/v1/otlp/v1/metrics    OpenTelemetry metrics, binary or JSON
//	POST /api/v1/events; GET /api/v1/events[/id] events, drawn as bands
//	GET  /api/v1/query                           a query over time
//	POST /api/v2/query/timeseries                formulas over named queries
//	POST /api/v2/query/scalar                    the same to one number
//	GET  /api/v1/metrics, /api/v1/search         names of metrics
//	GET, PUT /api/v1/metrics/{metric}            what is known about a metric
//
// A caller sends SVC-API-KEY and, for everything that reads, SVC-APPLICATION-KEY;
// missing or wrong keys are 403. Submitting needs the API key alone, which may
// also be a bearer value. Old clients may send api_key and application_key in
// the query. Failures answer {"errors":[…]}; submissions add status and code.
//
// A request for a picture takes metric_query or graph_def (exactly one), start
// and end (POSIX seconds), title, width, height and event_query. It is checked
// at once, so that a bad query is a 400 with line and column, then stored with
// a job in one transaction; the job draws and stores the bytes under their
// hash. The address is returned before the picture exists and cannot be
// guessed.
//
// Who owns what: package query is the language, package definition that of
// graph definitions, package metrics the storage of
// points, package chart the drawing; this package joins them, and knows keys,
// limits, events and HTTP. Points, events and pictures belong to the team or
// organization of the key, or to its owner, and no other sees them.
//
// # Where the contract is silent we decided
//
//   - E-N1: the parameter that adds event bands is event_query. Terms are
//     separated by spaces and must all hold: tags:a,b or key:value, host:x,
//     source:x, status:error, priority:low; other words are looked for in title
//     and text.
//   - E-N2: 600 snapshots and 6000 queries an hour for each owner
//     (snapshots_per_hour, queries_per_hour), in windows aligned to the hour.
//     Answers carry X-RateLimit-Limit, -Period, -Remaining, -Reset (seconds to
//     go) and -Name; the next call is 429. Everything else, submissions and
//     pictures too, may be asked for 6000 times a minute by an owner, or by a
//     network without a key (requests_per_minute); an owner may submit 6000000
//     points a minute (points_per_minute). 429 carries Retry-After.
//   - E-N3: a snapshot is pending, then ready or failed, and disappears after
//     90 days (keep). No events are emitted. Members are only ever added.
//   - E-N4: before it is ready, snapshot_url answers 202 with Retry-After: a
//     JSON body for API callers, a page that reloads itself for browsers; a
//     failed one answers 422 with the reason, an unknown or expired one 404.
//     graph_def is always filled, with JSON text and not percent-encoded: the
//     caller's own text unchanged, or {"requests":[{"q":…}]} for a
//     metric_query. metric_query and event_query are present when they were
//     sent. start at or after end is 400.
//   - Sides are 100 to 10000 pixels and 600 by 400 when absent. theme
//     (light, dark), legend (compact, expanded, none), tz (a zone's name) and
//     scale (1 to 3) are additions; the picture is scale times as large and
//     still at most 10000 pixels.
//   - The regions of E-08 are the addresses in bases: every one serves the same
//     paths, and snapshot_url names the one that was used.
//   - Points more than an hour old (points_past) or ten minutes ahead
//     (points_future) are left out; the answer is still 202 and names them, in
//     warnings or, in version 2, in errors. Remote write and OTLP bring points as
//     old as they are kept (retention); what lies outside is 400 or a partial
//     success, and the other points of the submission are stored. An event that
//     is older than retention, or more than a day ahead, is 400.
//   - A point that is sent again replaces the one that its series has at the same
//     time: gauges, counts, rates and distributions alike, the newest and old
//     ones, by every protocol, in any order, also within a submission. An equal
//     value changes nothing; another one may replace it 4095 times, then 400.
//   - as_count and as_rate use the interval that was last sent for the metric: a
//     count stands for that many seconds and a rate is per second of them,
//     whatever the buckets of the query. Without an interval it is the least
//     distance of the points of the series. A sum stands for all intervals that
//     begin in its bucket, those without a point too.
//   - A graph_def of more than 512 KiB or a deeper nesting than 100 is 400, as
//     is a query that is nested deeper than 40 or longer than 32 KiB. A query
//     that reads more than 5000 series (max_series) is refused.
//   - A definition has at most 50 requests with 50 queries, formulas, aliases
//     and formats each, 100 expressions in all, 50 markers and 20 searches for
//     events. A formula may be as long as a query once its queries are written
//     out. A picture shows at most 5000 series and 3000000 points, and one whose
//     lines cross too many rows of pixels, or whose areas cover too many, fails
//     with the advice to ask for a smaller one.
//   - A query in PromQL has at most 500 parts, 50 selectors and 11000 points, as
//     has each of its subqueries, those within each other multiplied; offset and
//     @ stay within the retention. It is refused with 400 where it is asked for,
//     also in a definition.
//   - An owner evaluates or draws two at a time, all together eight; owners take
//     turns. Evaluations take memory of the process before they use it: 429 when
//     there is none now, 413 when there never is.
//   - A submission holds at most 50000 series, 50000 points and (except for
//     remote write) the names of 5000 different metrics, whatever the
//     protocol, or it is 413; a JSON text with more than 200000 values is 400. A
//     label of remote write or OTLP has at most 2048 bytes.
//   - An owner has at most 100000 active series (max_active_series): those in the
//     head of the store, which forgets them some hours after their last point.
//     A submission with one more is refused as a whole with 429, and nothing of
//     it is stored. The remote backend has bounds of its own.
//   - An owner's latest 100000 events are kept (max_events), give or take some hundreds
//     until the oldest are deleted: with later events, and every hour.
//   - A distribution keeps 4096 bins on either side of zero; more are joined at
//     the lower end, so that upper percentiles stay exact.
//   - What an owner says about a metric (type, unit, interval, description) goes
//     before what senders say, and is forgotten with the metric's points. A metric
//     that was never submitted is 404. The integration is always null.
//   - query_table, treemap, sunburst, scatterplot, hostmap, slo and note are 400,
//     with the kind that shows the same. Dashboards, monitors and hosts are 404,
//     with the call that answers the question behind them.
//   - A formula for one number (query/scalar, toplist, query_value, change) is
//     computed of one number of each query. An unknown aggregator is 400.
//   - Metrics that begin with stoa. are the server's own; administrators may
//     read them.
//   - Queries that begin with promql: are PromQL.
package snapshots
