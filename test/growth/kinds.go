package main

import (
	"context"
	"slices"
)

// kind is one kind of rows and what is called with many of them.
type kind struct {
	name string
	// before are statements for rows that the demo world has none of.
	before []string
	tables []table
	// after are statements that bring counters up to date; $1 is how many were added.
	after []string
	// load adds rows that are no rows of the database, numbered from first to last.
	load  func(ctx context.Context, w *world, first, last int64) error
	calls []call
	// most is the largest number of rows that is measured; zero means any.
	most int64
}

// table is a table whose row is multiplied.
type table struct {
	name string
	// where finds the row.
	where string
	// set are the columns that differ between copies, as expressions of n.
	set map[string]string
	// leave are columns that the database gives.
	leave []string
	// per is how many of the kind's rows stand for one of this table; one when zero.
	per int64
}

// call is what is measured. {id} in its path is the id in the last answer to a POST, {now}
// there and in its body the time in seconds, and {NAME} what the demo world's file says.
type call struct {
	name, method, path, body string
	// console is true for pages that a session sees.
	console bool
}

// wide is n with leading zeros, for texts that sort like numbers.
const wide = `substr('00000000000000000000' || n, -20)`

func kinds() []kind {
	return slices.Concat(taskKinds(), otherKinds(), metricKinds(), administrationKinds())
}

func taskKinds() []kind {
	calls := []call{
		{name: "insert a task", method: "POST", path: "/tasks/v1/lists/@default/tasks", body: `{"title":"One more"}`},
		{name: "get a task", method: "GET", path: "/tasks/v1/lists/@default/tasks/{id}"},
		{name: "list 100 tasks", method: "GET", path: "/tasks/v1/lists/@default/tasks?maxResults=100"},
		{name: "page of the console", method: "GET", path: "/console/data/tasks/tasks?tasklist=@default", console: true},
	}
	mine := `list_id = (SELECT min(default_list) FROM tasks_users)`
	return []kind{
		{
			name: "tasks in one list", calls: calls,
			tables: []table{{name: "tasks_tasks", where: mine, set: map[string]string{
				"id": "'grown' || " + wide, "rank": `substr('00000000000000000000' || (4500000000000000000 + n * 1000), -20)`,
			}}},
			after: []string{
				`UPDATE tasks_lists SET open_count = open_count + $1 WHERE id = (SELECT min(default_list) FROM tasks_users)`,
				`UPDATE tasks_users SET task_count = task_count + $1, revision = revision + 1`,
			},
		},
		{
			name: "tasks of others", calls: calls,
			tables: []table{
				{name: "tasks_users", where: "user_id < 1000", per: 100, set: map[string]string{
					"user_id": "1000000 + n", "default_list": "'list' || n",
				}},
				{name: "tasks_lists", where: "user_id < 1000", per: 100, set: map[string]string{
					"user_id": "1000000 + n", "id": "'list' || n",
				}},
				{name: "tasks_tasks", where: "user_id < 1000", set: map[string]string{
					"id": "'grown' || " + wide, "list_id": "'list' || (n / 100)", "user_id": "1000000 + n / 100",
				}},
			},
		},
	}
}

// primary is the id of the demo user's calendar.
const primary = `(SELECT min(id) FROM calendar_calendars WHERE owner_id = 1 AND is_primary)`

func calendarCalls() []call {
	return []call{
		{name: "insert an event", method: "POST", path: "/calendar/v3/calendars/primary/events",
			body: `{"start":{"dateTime":"2027-01-02T10:00:00Z"},"end":{"dateTime":"2027-01-02T11:00:00Z"},"summary":"One more"}`},
		{name: "get an event", method: "GET", path: "/calendar/v3/calendars/primary/events/{id}"},
		{name: "list 100 events", method: "GET", path: "/calendar/v3/calendars/primary/events?maxResults=100"},
		{name: "page of the console", method: "GET", console: true,
			path: "/console/data/calendar/events?calendarId=primary"},
	}
}

func otherKinds() []kind {
	return []kind{
		{
			name: "calendar events of others",
			tables: []table{
				{name: "calendar_calendars", where: "owner_id < 1000", per: 1000, set: map[string]string{
					"id": "'c' || n || '@example.com'", "owner_id": "1000000 + n",
				}},
				{name: "calendar_events", where: "NOT recurring AND NOT cancelled", set: map[string]string{
					"calendar_id": "'c' || (n / 1000) || '@example.com'", "id": "'grown' || n", "uid": "'grown' || n", "seq": "n",
				}},
			},
			calls: calendarCalls(),
		},
		{
			name: "events in one calendar",
			tables: []table{{name: "calendar_events", where: "NOT recurring AND NOT cancelled AND calendar_id = " + primary,
				set: map[string]string{"id": "'grown' || n", "uid": "'grown' || n", "seq": "1000 + n"}}},
			after: []string{`UPDATE calendar_calendars SET events_seq = events_seq + $1 + 1000 WHERE id = ` + primary},
			calls: calendarCalls(),
		},
		{
			name:   "feed events of a repository",
			tables: []table{{name: "events_events", where: "repo_id = 1 AND type = 'CreateEvent'", leave: []string{"id"}}},
			calls: []call{
				{name: "open an issue", method: "POST", path: "/repos/lyceum/colonnade/issues", body: `{"title":"One more"}`},
				{name: "feed of 30", method: "GET", path: "/repos/lyceum/colonnade/events?per_page=30"},
			},
		},
		{
			name: "articles",
			tables: []table{{name: "articles_items", where: "NOT private AND team_id = 0", leave: []string{"number"},
				set: map[string]string{"id": `substr('00000000000000000000' || printf('%x', n), -20)`}}},
			calls: []call{
				{name: "write an article", method: "POST", path: "/api/v2/items",
					body: `{"title":"One more","body":"# A line","tags":[{"name":"go"}],"private":false}`},
				{name: "get an article", method: "GET", path: "/api/v2/items/{id}"},
				{name: "list 20 articles", method: "GET", path: "/api/v2/items?per_page=20"},
				{name: "page of the console", method: "GET", path: "/console/data/articles/all", console: true},
			},
		},
		{
			name: "packages with a version",
			tables: []table{
				{name: "packages_package", where: "id = 1", set: map[string]string{
					"id": "1000000 + n", "name": "'grown-' || n", "shape": "'grown' || n",
				}},
				{name: "packages_version", where: "package_id = 1", set: map[string]string{"package_id": "1000000 + n"}},
			},
			calls: []call{
				{name: "get a package", method: "GET", path: "/v3/systems/npm/packages/grown-500"},
				{name: "get a version", method: "GET", path: "/v3/systems/npm/packages/grown-500/versions/1.0.0"},
			},
		},
	}
}

func administrationKinds() []kind {
	const administration = "/console/data/administration/"
	refresh := call{name: "list task lists", method: "GET", path: "/tasks/v1/users/@me/lists"}
	return []kind{
		{
			name: "users",
			tables: []table{
				{name: "identity_users", where: "NOT admin", leave: []string{"id"}, set: map[string]string{
					"name": "'user' || n", "folded_name": "'user' || n", "email": "'user' || n || '@example.com'",
				}},
				{name: "identity_names", where: "kind = 'user'", set: map[string]string{"name": "'user' || n"}},
			},
			calls: []call{refresh, {name: "page of the console", method: "GET", path: administration + "users", console: true}},
		},
		{
			name: "tokens",
			tables: []table{{name: "identity_credentials", where: "kind = 'personal'", leave: []string{"id"},
				set: map[string]string{"hash": "randomblob(32)"}}},
			calls: []call{refresh, {name: "page of the console", method: "GET", path: administration + "tokens", console: true}},
		},
		{
			name:   "audit entries",
			tables: []table{{name: "audit_entries", where: "id = 1", leave: []string{"id"}}},
			calls: []call{
				{name: "page of the console", method: "GET", path: administration + "audit", console: true},
				{name: "page of one action", method: "GET", path: administration + "audit?action=user.add", console: true},
			},
		},
		{
			name: "deliveries",
			before: []string{`INSERT INTO deliver_messages (id, service, channel, owner, address, request, state, attempts, status,
				duration_us, last_error, created, deadline, next_attempt, finished, resend_of)
				VALUES ('first', 'calendar', 'c', 'user:1', 'http://127.0.0.1:1/', '{}', 'delivered', 1, 200, 900, '',
				'2026-11-01T00:00:00.000000Z', NULL, NULL, '2026-11-01T00:00:01.000000Z', '')`},
			tables: []table{{name: "deliver_messages", where: "id = 'first'",
				set: map[string]string{"id": "'grown' || " + wide}}},
			calls: []call{{name: "page of the console", method: "GET", path: administration + "deliveries", console: true}},
		},
		{
			name: "dead jobs",
			before: []string{`INSERT INTO stoa_jobs (kind, version, payload, key, dedupe, state, fresh, asked, due, claim_at, attempt,
				max_attempts, owner, holder, deaths, alone, safe, enqueued, failed, error)
				VALUES ('deliver.send', 1, '{}', '', '', 'dead', FALSE, '2026-11-01T00:00:00.000000Z', '2026-11-01T00:00:00.000000Z',
				'2026-11-01T00:00:00.000000Z', 3, 3, 'user:1', '', 0, FALSE, FALSE, '2026-11-01T00:00:00.000000Z',
				'2026-11-01T00:00:00.000000Z', 'refused')`},
			tables: []table{{name: "stoa_jobs", where: "state = 'dead'", leave: []string{"seq"}}},
			calls:  []call{{name: "page of the console", method: "GET", path: administration + "jobs", console: true}},
		},
		waitingJobs(administration + "jobs"),
	}
}

// waitingJobs are due in a far year, and of the kind that a picture enqueues.
func waitingJobs(page string) kind {
	return kind{
		name: "jobs waiting",
		before: []string{`INSERT INTO stoa_jobs (kind, version, payload, key, dedupe, state, fresh, asked, due, claim_at, attempt,
			max_attempts, owner, holder, deaths, alone, safe, enqueued, failed, error)
			VALUES ('snapshots.render', 1, '{}', '', '', 'ready', FALSE, '2099-11-01T00:00:00.000000Z',
			'2099-11-01T00:00:00.000000Z', '2099-11-01T00:00:00.000000Z', 0, 3, 'user:1', '', 0, FALSE, FALSE,
			'2026-11-01T00:00:00.000000Z', NULL, '')`},
		tables: []table{{name: "stoa_jobs", where: "state = 'ready' AND due > '2099'", leave: []string{"seq"}}},
		calls: []call{
			{name: "ask for a picture, which a job draws", method: "GET", path: "/api/v1/graph/snapshot" +
				"?metric_query=avg:system.load%7B*%7D&start=1790000000&end=1790003600&" + metricKeys},
			{name: "page of the console", method: "GET", path: page, console: true},
		},
	}
}
