package conduct_test

import (
	"testing"
	"time"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/platform/conduct"
)

func TestCommon(t *testing.T) {
	t.Parallel()
	const get = "GET /tasks/v1/users/@me/lists"
	const post = "POST /tasks/v1/lists/a/tasks"
	limited := exchange{operation: "tasklists.list", line: get, status: 429, answer: "Retry-After: 30"}
	down := exchange{operation: "tasklists.list", line: get, status: 503}
	refused := exchange{operation: "tasks.insert", line: post, status: 400, body: `{"title":7}`}
	unauthorized := exchange{
		operation: "tasklists.list", line: get, caller: "-", status: 401, header: "Authorization: Bearer old",
	}
	check(t, conduct.Everywhere, []pair{
		{
			rule: "retry-after",
			bad:  client{limited, {operation: "tasklists.list", line: get, after: time.Second}},
			good: client{limited, {operation: "tasklists.list", line: get, after: 30 * time.Second}},
		},
		{
			rule: "back-off",
			bad:  client{{operation: down.operation, line: down.line, status: 503, times: 6}},
			good: client{down, {operation: down.operation, line: get, status: 503, after: 2 * time.Second, times: 6}},
		},
		{
			rule: "refused-unchanged", bad: client{refused, refused},
			good: client{refused, {operation: "tasks.insert", line: post, body: `{"title":"7"}`}, refused},
		},
		{
			rule: "refused-credential", bad: client{unauthorized, unauthorized, unauthorized},
			good: client{unauthorized, {operation: "tasklists.list", line: get, header: "Authorization: Bearer new"}},
		},
		{
			rule: "token-in-address",
			bad:  client{{operation: "tasklists.list", line: get + "?access_token=abcdefghijkl"}},
			good: client{{operation: "tasklists.list", line: get, header: "Authorization: Bearer abcdefghijkl"}},
		},
		{
			rule: "unread-members",
			bad: client{{
				operation: "tasks.insert", line: post, body: `{"titel":"milk"}`, decoded: struct{ Title string }{},
			}},
			good: client{{
				operation: "tasks.insert", line: post, body: `{"Title":"milk"}`, decoded: struct{ Title string }{},
			}},
		},
	})
}

// TestUnanswered: a client that could not know the answer yet is not blamed for it.
func TestUnanswered(t *testing.T) {
	t.Parallel()
	const get = "GET /tasks/v1/users/@me/lists"
	limited := exchange{operation: "tasklists.list", line: get, status: 429, answer: "Retry-After: 30"}
	j := record("tasks", nil)
	first, second := j.Begin(t.Context()), j.Begin(t.Context())
	limited.keep(first, "tasks", start())
	limited.keep(second, "tasks", start())
	report := conduct.Run(app.ConductRules(), j.OldestFirst())
	if report.Requests != 2 || len(report.Findings) > 0 {
		t.Errorf("%d requests, broke %v", report.Requests, broken(report))
	}
}
