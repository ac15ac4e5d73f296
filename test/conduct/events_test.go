package conduct_test

import (
	"strconv"
	"testing"
	"time"
)

func TestEvents(t *testing.T) {
	t.Parallel()
	feed := exchange{
		operation: "list_public_events", line: "GET /events", answer: "ETag: \"a\"\nX-Poll-Interval: 60", says: "[]",
	}
	again := func(after time.Duration, header, etag string, status int) exchange {
		e := feed
		e.after, e.header, e.status = after, header, status
		e.answer = "X-Poll-Interval: 60\nETag: " + etag
		return e
	}
	known := "If-None-Match: \"a\""
	reset := start().Add(10 * time.Minute).Unix()
	primary := exchange{
		operation: "get_repo", line: "GET /repos/ada/one", status: 403,
		answer: "X-RateLimit-Remaining: 0\nX-RateLimit-Reset: " + strconv.FormatInt(reset, 10),
	}
	secondary := exchange{
		operation: "get_repo", line: "GET /repos/ada/one", status: 403,
		says: `{"message":"You have exceeded a secondary rate limit."}`,
	}
	user := exchange{operation: "get_user", line: "GET /users/ada"}
	moved := exchange{operation: "list_repo_events", line: "GET /repos/ada/old/events", status: 301}
	page := func(n, link string, says string) exchange {
		return exchange{
			operation: "list_repo_events", line: "GET /repos/ada/one/events?page=" + n, says: says, answer: "Link: " + link,
		}
	}
	check(t, "events", []pair{
		{
			rule: "events.poll-interval", bad: client{feed, again(5*time.Second, known, `"a"`, 304)},
			good: client{feed, again(time.Minute, known, `"a"`, 304), again(time.Minute, known, `"b"`, 200)},
		},
		{
			rule: "events.etag", bad: client{feed, again(time.Minute, "", `"a"`, 200)},
			good: client{feed, again(time.Minute, "", `"b"`, 200)},
		},
		{
			rule: "events.user-agent", good: client{feed},
			bad: client{{operation: "list_public_events", line: "GET /events", status: 403, header: "User-Agent:"}},
		},
		{
			rule: "events.link",
			bad:  client{page("1", `<x>; rel="next"`, "[1]"), page("2", `<x>; rel="prev"`, "[1]"), page("3", "", "[]")},
			good: client{page("1", `<x>; rel="next"`, "[1]"), page("2", `<x>; rel="prev"`, "[1]"), page("1", "", "[1]")},
		},
		{rule: "events.moved", bad: client{moved, moved}, good: client{moved, user}},
		{
			rule: "events.primary-limit", bad: client{primary, later(user, time.Minute)},
			good: client{
				primary, {operation: "rate_limit", line: "GET /rate_limit", after: time.Second},
				later(user, 10*time.Minute),
			},
		},
		{
			rule: "events.secondary-limit", bad: client{secondary, later(user, 10*time.Second)},
			good: client{secondary, later(user, time.Minute)},
		},
	})
}
