package labwords_test

import (
	"encoding/json"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/app/cli/labwords"
)

func TestMessages(t *testing.T) {
	t.Parallel()
	answer := json.RawMessage(`{"messages":[{"at":"2026-03-01T09:00:00Z","method":"POST","headers":{"Content-Type":"text/plain",` +
		`"X-Channel-Id":"` + strings.Repeat("x", 400) + `","X-Resource-State":"sync","X-Message-Number":"1"},` +
		`"body":"twelve bytes","answered":503}]}`)
	got, err := labwords.Messages(answer)
	const want = `{"messages":[{"number":1,"at":"2026-03-01T09:00:00Z","method":"POST",` +
		`"about":"X-Message-Number 1, X-Resource-State sync","bytes":12,"answered":503}]}`
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
	if whole, err := labwords.Message(answer, "1"); err != nil || !strings.Contains(string(whole), "twelve bytes") {
		t.Errorf("message 1: %s, %v", whole, err)
	}
	for _, number := range []string{"0", "2", "x"} {
		if whole, err := labwords.Message(answer, number); err == nil || !strings.Contains(err.Error(), "the inbox has 1") {
			t.Errorf("message %s: %s, %v", number, whole, err)
		}
	}
}
