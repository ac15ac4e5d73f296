package payload_test

import (
	"errors"
	"testing"

	"stoa.dev/stoa/internal/service/events/payload"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ kind, text, field string }{
		{"WatchEvent", `{"action":"started"}`, ""},
		{"WatchEvent", `{"action":"stopped"}`, "payload.action"},
		{"WatchEvent", `{}`, "payload.action"},
		{"WatchEvent", `[]`, "payload"},
		{"ForkEvent", `{"action":"forked","forkee":{"id":1,"full_name":"a/b"}}`, ""},
		{"ForkEvent", `{"action":"forked","forkee":{"id":"1","full_name":"a/b"}}`, "payload.forkee.id"},
		{"GollumEvent", `{"pages":[1]}`, "payload.pages"},
		{"NoEvent", `{}`, "type"},
	} {
		var v *payload.Violation
		err := payload.Check(row.kind, []byte(row.text))
		if errors.As(err, &v); v == nil && row.field != "" || v != nil && v.Field != row.field {
			t.Errorf("%s %s: got %v, want a violation of %q", row.kind, row.text, err, row.field)
		}
	}
}
