package conduct_test

import (
	"testing"
	"time"
)

// later is an exchange after a while.
func later(e exchange, after time.Duration) exchange {
	e.after = after
	return e
}

// lost is an exchange whose answer did not arrive.
func lost(e exchange) exchange {
	e.fault = "cut"
	return e
}

// many is an exchange so many times.
func many(e exchange, times int, after time.Duration) exchange {
	e.times, e.after = times, after
	return e
}

// by is an exchange of another caller.
func by(e exchange, caller string) exchange {
	e.caller, e.header = caller, e.header+"\nAuthorization: Bearer "+caller
	return e
}

// with is an exchange with one more header.
func with(e exchange, header string) exchange {
	e.header += "\n" + header
	return e
}

// pagePairs are those of a list with page tokens.
func pagePairs(service, operation, path string) (left, twice pair) {
	first := exchange{operation: operation, line: "GET " + path, says: `{"items":[1],"nextPageToken":"p2"}`}
	second := exchange{operation: operation, line: "GET " + path + "?pageToken=p2", says: `{"items":[2]}`}
	left = pair{rule: service + ".pages-left", bad: client{first}, good: client{first, second}}
	twice = pair{
		rule: service + ".page-twice", bad: client{first, second, second}, good: client{first, second, first, second},
	}
	return left, twice
}

func TestTasks(t *testing.T) {
	t.Parallel()
	left, twice := pagePairs("tasks", "tasks.list", "/tasks/v1/lists/a/tasks")
	list := exchange{operation: "tasks.list", line: "GET /tasks/v1/lists/a/tasks", answer: "ETag: \"x\"", says: "{}"}
	insert := exchange{operation: "tasks.insert", line: "POST /tasks/v1/lists/a/tasks", body: `{"title":"milk"}`}
	update := exchange{operation: "tasks.update", line: "PUT /tasks/v1/lists/a/tasks/1", body: `{"title":"tea"}`}
	check(t, "tasks", []pair{
		left, twice,
		{rule: "tasks.etag", bad: client{list, list, list}, good: client{list, with(list, `If-None-Match: "x"`)}},
		{rule: "tasks.insert-repeated", bad: client{lost(insert), insert}, good: client{lost(insert), list, insert}[:2]},
		{
			rule: "tasks.version", bad: client{by(update, "bob"), update},
			good: client{by(update, "bob"), with(update, `If-Match: "x"`), with(update, `If-Match: "y"`)},
		},
	})
}

func TestLabels(t *testing.T) {
	t.Parallel()
	get := exchange{operation: "limits.getLabel", line: "GET /v2/limits/label?name=limits/label"}
	body := get
	body.body, body.status = "{}", 400
	unnamed := exchange{operation: "limits.getLabel", line: "GET /v2/limits/label", status: 400}
	check(t, "labels", []pair{
		{rule: "labels.limits-repeated", bad: client{many(get, 6, time.Second)}, good: client{many(get, 6, time.Hour)}},
		{rule: "labels.body", bad: client{body}, good: client{get}},
		{rule: "labels.name", bad: client{unnamed}, good: client{get}},
	})
}

func TestPackages(t *testing.T) {
	t.Parallel()
	const npm = "/v3/systems/npm/packages/a/versions/1"
	version := exchange{operation: "GetVersion", line: "GET " + npm, answer: "Cache-Control: public, max-age=60"}
	each := exchange{operation: "GetVersion", line: "GET " + npm}
	purl := exchange{operation: "PurlLookup", line: "GET /v3alpha/purl/pkg%3Anpm%2Fa"}
	batch := func(body, says string) exchange {
		return exchange{operation: "GetVersionBatch", line: "POST /v3alpha/versionbatch", body: body, says: says}
	}
	first := batch(`{"requests":[1,2]}`, `{"responses":[1],"nextPageToken":"t"}`)
	second := batch(`{"requests":[1,2],"pageToken":"t"}`, `{"responses":[2],"nextPageToken":""}`)
	check(t, "packages", []pair{
		{rule: "packages.one-by-one", bad: client{many(each, 101, 0)}, good: client{many(each, 101, time.Second)}},
		{rule: "packages.purls-one-by-one", bad: client{many(purl, 101, 0)}, good: client{many(purl, 101, time.Second)}},
		{rule: "packages.pages-left", bad: client{first}, good: client{first, second}},
		{
			rule: "packages.page-changed", bad: client{first, batch(`{"requests":[2],"pageToken":"t"}`, "{}")},
			good: client{first, second},
		},
		{rule: "packages.fresh", bad: client{many(version, 4, 0)}, good: client{many(version, 4, time.Minute)}},
	})
}

func TestArticles(t *testing.T) {
	t.Parallel()
	page := func(n, link, says string) exchange {
		return exchange{
			operation: "items.list", line: "GET /api/v2/items?per_page=100&page=" + n, answer: "Link: " + link, says: says,
		}
	}
	last := exchange{
		operation: "items.get", line: "GET /api/v2/items/1",
		answer: "Rate-Remaining: 0\nRate-Reset: 1772357400", // half an hour after the start
	}
	code := exchange{
		operation: "accessTokens.create", line: "POST /api/v2/access_tokens", caller: "-", status: 201,
		body: `{"code":"c-1"}`,
	}
	refused := code
	refused.status = 400
	comment := exchange{
		operation: "comments.create", line: "POST /api/v2/items/1/comments", status: 201, body: `{"body":"well"}`,
	}
	authorize := func(query string) exchange {
		return exchange{operation: "oauth.authorize", line: "GET /api/v2/oauth/authorize?client_id=c&" + query, caller: "-"}
	}
	check(t, "articles", []pair{
		{
			rule: "articles.budget", bad: client{last, later(last, time.Minute)},
			good: client{last, later(last, 31*time.Minute)},
		},
		{
			rule: "articles.link", bad: client{page("1", "", "[1]"), page("2", "", "[]")},
			good: client{page("1", `<x>; rel="next"`, "[1]"), page("2", "", "[1]")},
		},
		{
			rule: "articles.page-size", bad: client{{operation: "items.list", line: "GET /api/v2/items?page=5"}},
			good: client{{operation: "items.list", line: "GET /api/v2/items?page=5&per_page=100"}},
		},
		{
			rule: "articles.abolished", good: client{page("1", "", "[]")},
			bad: client{{operation: "projects.list", line: "GET /api/v2/projects", status: 404}},
		},
		{rule: "articles.post-repeated", bad: client{lost(comment), comment}, good: client{comment, comment}},
		{rule: "articles.code-twice", bad: client{code, refused}, good: client{lost(code), code}},
		{rule: "articles.state", bad: client{authorize("scope=read_svc")}, good: client{authorize("scope=read_svc&state=s")}},
		{
			rule: "articles.team-scope", bad: client{authorize("scope=read_svc_team&state=s")},
			good: client{authorize("scope=read_svc&state=s")},
		},
	})
}

func TestPipelines(t *testing.T) {
	t.Parallel()
	me := exchange{operation: "me", line: "GET /api/v1.1/me", header: "Accept: application/json"}
	edn := exchange{operation: "me", line: "GET /api/v1.1/me", answer: "Content-Type: application/edn"}
	limited := exchange{operation: "me", line: "GET /api/v1.1/me", status: 429}
	trigger := exchange{operation: "trigger_branch", line: "POST /api/v1.1/project/a/b/c/tree/main", body: "{}"}
	recent := exchange{operation: "recent_builds", line: "GET /api/v1.1/recent-builds"}
	shallow := exchange{operation: "recent_builds", line: "GET /api/v1.1/recent-builds?shallow=true"}
	build := exchange{operation: "build", line: "GET /api/v1.1/project/a/b/c/7"}
	check(t, "pipelines", []pair{
		{
			rule: "pipelines.token-in-address", good: client{me},
			bad: client{{operation: "me", line: "GET /api/v1.1/me?pipeline-token=abcdefghijkl"}},
		},
		{rule: "pipelines.accept", bad: client{edn}, good: client{me}},
		{rule: "pipelines.back-off", bad: client{many(limited, 6, 0)}, good: client{many(limited, 6, 2*time.Second)}},
		{rule: "pipelines.trigger-repeated", bad: client{lost(trigger), trigger}, good: client{lost(trigger), recent}},
		{rule: "pipelines.shallow", bad: client{many(recent, 12, time.Second)}, good: client{many(shallow, 12, time.Second)}},
		{
			rule: "pipelines.limit", good: client{recent},
			bad: client{{operation: "recent_builds", line: "GET /api/v1.1/recent-builds?limit=500"}},
		},
		{rule: "pipelines.job-polled", bad: client{many(build, 70, 0)}, good: client{many(build, 70, 5*time.Second)}},
	})
}

func TestSnapshots(t *testing.T) {
	t.Parallel()
	take := exchange{operation: "graph.snapshot", line: "GET /api/v1/graph/snapshot?start=1767225600&end=1767229200"}
	last := take
	last.answer = "X-RateLimit-Remaining: 0\nX-RateLimit-Reset: 600"
	point := exchange{
		operation: "series.submit", line: "POST /api/v1/series", status: 202, body: `{"series":[{"points":[[1,2]]}]}`,
	}
	points := point
	points.body = `{"series":[{"points":[[1,2],[2,3]]}]}`
	check(t, "snapshots", []pair{
		{
			rule: "snapshots.milliseconds", good: client{take},
			bad: client{{
				operation: "graph.snapshot", line: "GET /api/v1/graph/snapshot?start=1767225600000&end=1767229200000", status: 400,
			}},
		},
		{rule: "snapshots.taken-again", bad: client{many(take, 3, time.Second)}, good: client{many(take, 3, time.Hour)}},
		{
			rule: "snapshots.keys-in-address", good: client{{operation: "validate", line: "GET /api/v1/validate"}},
			bad: client{{operation: "validate", line: "GET /api/v1/validate?api_key=abcdefghijkl"}},
		},
		{
			rule: "snapshots.budget", bad: client{last, later(last, time.Minute)},
			good: client{last, later(last, 10*time.Minute)},
		},
		{rule: "snapshots.points-one-by-one", bad: client{many(point, 130, 0)}, good: client{many(points, 130, 0)}},
	})
}
