package conduct_test

import (
	"fmt"
	"testing"
	"time"
)

func TestCalendar(t *testing.T) {
	t.Parallel()
	left, twice := pagePairs("calendar", "calendar.events.list", "/calendar/v3/calendars/primary/events")
	list := exchange{
		operation: "calendar.events.list", line: "GET /calendar/v3/calendars/primary/events", says: `{"nextSyncToken":"s"}`,
	}
	changes := exchange{
		operation: "calendar.events.list", line: "GET /calendar/v3/calendars/primary/events?syncToken=s",
		says: `{"nextSyncToken":"s"}`,
	}
	gone := changes
	gone.status = 410
	watch := func(id string, ends time.Duration) exchange {
		return exchange{
			operation: "calendar.events.watch", line: "POST /calendar/v3/calendars/primary/events/watch",
			body: `{"id":"` + id + `","token":"secret"}`,
			says: fmt.Sprintf(`{"id":%q,"resourceId":"r","expiration":"%d"}`, id, start().Add(ends).UnixMilli()),
		}
	}
	stop := exchange{
		operation: "calendar.channels.stop", line: "POST /calendar/v3/channels/stop", status: 204,
		body: `{"id":"one","resourceId":"r"}`,
	}
	taken := watch("one", time.Hour)
	taken.status, taken.says = 400, `{"error":{"errors":[{"reason":"channelIdNotUnique"}]}}`
	bare := watch("one", time.Hour)
	bare.body = `{"id":"one"}`
	insert := exchange{
		operation: "calendar.events.insert", line: "POST /calendar/v3/calendars/primary/events", body: `{"summary":"a"}`,
	}
	named := insert
	named.body = `{"id":"abcde","summary":"a"}`
	update := exchange{
		operation: "calendar.events.update", line: "PUT /calendar/v3/calendars/primary/events/e", body: "{}",
	}
	check(t, "calendar", []pair{
		left, twice,
		{rule: "calendar.sync-token", bad: client{list, list, list}, good: client{list, changes, changes, changes}},
		{rule: "calendar.sync-gone", bad: client{list, gone, gone}, good: client{list, gone, list}},
		{
			rule: "calendar.channel-expired", bad: client{watch("one", time.Hour), later(list, 2*time.Hour)},
			good: client{
				watch("one", time.Hour), later(watch("two", 3*time.Hour), 50*time.Minute), stop, later(list, time.Hour),
			},
		},
		{
			rule: "calendar.channel-left", bad: client{watch("one", time.Hour), watch("two", 2*time.Hour)},
			good: client{watch("one", time.Hour), watch("two", 2*time.Hour), stop},
		},
		{rule: "calendar.channel-id", bad: client{watch("one", time.Hour), taken}, good: client{watch("one", time.Hour)}},
		{rule: "calendar.channel-token", bad: client{bare}, good: client{watch("one", time.Hour)}},
		{rule: "calendar.insert-repeated", bad: client{lost(insert), insert}, good: client{lost(named), named}},
		{
			rule: "calendar.version", bad: client{by(update, "bob"), update},
			good: client{by(update, "bob"), with(update, `If-Match: "x"`)},
		},
	})
}

func TestGenerate(t *testing.T) {
	t.Parallel()
	left, _ := pagePairs("generate", "files.list", "/v1beta/files")
	ask := func(body, says string) exchange {
		return exchange{
			operation: "models.generateContent", line: "POST /v1beta/models/m:generateContent", body: body, says: says,
		}
	}
	blocked := ask(`{"contents":[1]}`, `{"promptFeedback":{"blockReason":"SAFETY"}}`)
	cut := ask(`{"contents":[1]}`, `{"candidates":[{"finishReason":"MAX_TOKENS"}]}`)
	whole := ask(`{"contents":[2]}`, `{"candidates":[{"finishReason":"STOP"}]}`)
	early := ask(`{"contents":[{"parts":[{"fileData":{"fileUri":"u"}}]}]}`, `{"error":{"status":"FAILED_PRECONDITION"}}`)
	early.status = 400
	poll := exchange{operation: "files.get", line: "GET /v1beta/files/f", says: `{"state":"PROCESSING"}`}
	begin := func(id string) exchange {
		return exchange{
			operation: "media.upload", line: "POST /upload/v1beta/files",
			header: "X-Goog-Upload-Command: start\nX-Goog-Upload-Header-Content-Length: 9", body: `{"file":{}}`,
			answer: "X-Goog-Upload-Url: http://127.0.0.1:1/upload/v1beta/files?upload_id=" + id,
		}
	}
	send := func(id, command, says string, status int) exchange {
		return exchange{
			operation: "media.upload", line: "POST /upload/v1beta/files?upload_id=" + id, status: status, says: says,
			header: "X-Goog-Upload-Command: " + command,
		}
	}
	file := `{"file":{"sha256Hash":"h"}}`
	check(t, "generate", []pair{
		left,
		{rule: "generate.blocked-repeated", bad: client{blocked, blocked}, good: client{blocked, whole}},
		{rule: "generate.finish-reason", bad: client{cut, cut}, good: client{cut, whole}},
		{rule: "generate.file-active", bad: client{early}, good: client{whole}},
		{rule: "generate.file-polled", bad: client{many(poll, 25, 0)}, good: client{many(poll, 25, time.Second)}},
		{
			rule: "generate.upload-restarted", bad: client{begin("a"), send("a", "upload", "", 503), begin("b")},
			good: client{
				begin("a"), send("a", "upload", "", 503), send("a", "query", "", 200),
				send("a", "upload, finalize", file, 200), begin("b"),
			},
		},
		{
			rule: "generate.same-upload",
			bad: client{
				begin("a"), send("a", "upload, finalize", file, 200), begin("b"), send("b", "upload, finalize", file, 200),
			},
			good: client{begin("a"), send("a", "upload, finalize", file, 200)},
		},
	})
}

func TestKMS(t *testing.T) {
	t.Parallel()
	call := func(operation, key string, status int) exchange {
		e := exchange{operation: operation, line: "POST /v2.KeyManagementService/" + operation, caller: "-", status: status}
		if key != "" {
			e.answer = "Key-Id: " + key
		}
		return e
	}
	decrypt, limited := call("Decrypt", "", 200), call("Decrypt", "", 429)
	changed := client{call("Status", "k1", 200), call("Status", "k2", 200)}
	check(t, "kms", []pair{
		{
			rule: "kms.status-polled", bad: client{many(decrypt, 15, time.Minute)},
			good: client{many(decrypt, 9, time.Minute), call("Status", "k1", 200), many(decrypt, 9, time.Minute)},
		},
		{
			rule: "kms.key-changed", bad: append(changed[:2:2], many(call("Status", "k2", 200), 4, time.Minute)),
			good: append(changed[:2:2], call("Encrypt", "k2", 200), many(call("Status", "k2", 200), 4, time.Minute)),
		},
		{rule: "kms.back-off", bad: client{many(limited, 6, 0)}, good: client{many(limited, 4, 0), decrypt}},
		{
			rule: "kms.decrypt-refused", bad: client{many(call("Decrypt", "", 404), 6, 0)},
			good: client{call("Decrypt", "", 404), decrypt, call("Decrypt", "", 404)},
		},
	})
}
