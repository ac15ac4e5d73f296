package conformance_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strconv"
	"testing"
	"time"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/platform/deliver/delivertest"
	"stoa.dev/stoa/test/conformance"
)

// pipelineWebhook registers an address and looks at what a finished job sends.
func pipelineWebhook(t *testing.T, open opener) {
	receiver := delivertest.NewReceiver(t)
	h := openPipelines(t, open, func(c *app.Config) { c.Deliver = receiver.Config })
	h.ended(t, 1)
	h.call(t, "PUT", stoaProject+"/settings", h.ada,
		`{"webhooks":[{"url":"`+receiver.URL+`/hook","secret":"shh"}]}`).Want(t, 200)
	num := conformance.Integer(t, h.trigger(t, "main", "{}"), "build_num")
	h.ended(t, num)
	eventually(t, func() bool { return len(receiver.Requests()) > 0 })
	m := receiver.Requests()[0]
	var body struct {
		Payload map[string]any `json:"payload"`
	}
	d := json.NewDecoder(bytes.NewReader([]byte(m.Body)))
	d.UseNumber()
	if err := d.Decode(&body); err != nil {
		t.Fatalf("%s: %v", m.Body, err)
	}
	if conformance.Integer(t, body.Payload, "build_num") != num || conformance.Text(t, body.Payload,
		"outcome") != "success" {
		t.Errorf("got %v", body.Payload)
	}
	if steps, _ := body.Payload["steps"].([]any); len(steps) == 0 {
		t.Errorf("the payload has no steps: %v", body.Payload)
	}
	sum := hmac.New(sha256.New, []byte("shh"))
	sum.Write([]byte(m.Body))
	if got, want := m.Header.Get("Pipeline-Signature"), "v1="+hex.EncodeToString(sum.Sum(nil)); got != want {
		t.Errorf("signature: got %s, want %s", got, want)
	}
}

// smallBudgets opens a server with few requests.
func smallBudgets(t *testing.T, open opener, burst, sustained int64) (*conformance.Server, string) {
	t.Helper()
	h := open(t, conformance.Options{Configure: func(c *app.Config) {
		c.Pipelines.Requests.Burst, c.Pipelines.Requests.Sustained = burst, sustained
	}})
	h.User(t, "ada")
	return h, h.Token(t, "ada", "pipelines")
}

func askMe(t *testing.T, h *conformance.Server, token string) *conformance.Answer {
	t.Helper()
	return h.Do(t, conformance.Call{Path: "/api/v1.1/me", Bearer: token,
		Header: http.Header{"Accept": {"application/json"}}})
}

// pipelineThrottled asks until the smaller budget is used up, with a pause
// between requests.
func pipelineThrottled(t *testing.T, open opener, burst, sustained int64, pause time.Duration) {
	h, token := smallBudgets(t, open, burst, sustained)
	most := min(burst, sustained)
	for i := range most {
		if a := askMe(t, h, token); a.Status != http.StatusOK {
			t.Fatalf("request %d: %v", i, a)
		}
		h.Clock.Advance(pause)
	}
	a := askMe(t, h, token).Want(t, http.StatusTooManyRequests)
	if n, err := strconv.Atoi(a.Header.Get("Retry-After")); err != nil || n < 1 {
		t.Errorf("Retry-After: %q", a.Header.Get("Retry-After"))
	}
	conformance.Text(t, a.Object(t), "message")
}

// pipelineBackoff is a client that keeps the rule: it waits as long as it is
// told, twice as long as before when it is not told, and gets through.
func pipelineBackoff(t *testing.T, open opener) {
	h, token := smallBudgets(t, open, 2, 1000)
	wait := time.Second
	for i, got := 0, 0; got < 6; i++ {
		a := askMe(t, h, token)
		if a.Status == http.StatusOK {
			got, wait = got+1, time.Second
			continue
		}
		a.Want(t, http.StatusTooManyRequests)
		if i > 20 {
			t.Fatal("the client does not get through")
		}
		if n, err := strconv.Atoi(a.Header.Get("Retry-After")); err == nil {
			wait = time.Duration(n) * time.Second
		} else {
			wait *= 2
		}
		h.Clock.Advance(wait)
	}
}

// noJobs is for rows that need none: one that runs draws identifiers from the same
// sequence as requests.
func noJobs(c *app.Config) { c.Pipelines.Concurrency = 0 }

// manyRequests is for rows that ask again until a job has ended.
func manyRequests(c *app.Config) {
	c.Pipelines.Requests.Burst, c.Pipelines.Requests.Sustained = 1_000_000, 1_000_000
}
