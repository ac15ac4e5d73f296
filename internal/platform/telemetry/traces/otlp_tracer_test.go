//go:build !small

package traces_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"stoa.dev/stoa/internal/platform/telemetry"
	"stoa.dev/stoa/internal/platform/telemetry/traces"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestTracesReachTheCollector(t *testing.T) {
	t.Parallel()
	var got atomic.Int64
	var body atomic.Value
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b := new(bytes.Buffer)
		_, _ = b.ReadFrom(r.Body)
		if r.URL.Path == "/v1/traces" {
			got.Add(1)
			body.Store(b.String())
		}
	}))
	defer collector.Close()
	tracer, err := traces.Open(traces.Options{Endpoint: collector.URL, Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	tel, err := telemetry.New(telemetry.Options{Log: &bytes.Buffer{}, Tracer: tracer})
	if err != nil {
		t.Fatal(err)
	}
	ctx, span := tel.StartSpan(context.Background(), "tasks",
		http.Header{"Traceparent": {"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}})
	span.Set("route", "GetTask")
	_, child := tel.StartSpan(ctx, "child", nil)
	child.End("")
	span.End("not found")
	if err := tel.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	text, _ := body.Load().(string)
	if got.Load() == 0 || !strings.Contains(text, "GetTask") || !strings.Contains(text, "child") {
		t.Errorf("the collector got %d calls, last %q", got.Load(), text)
	}
	// The remote trace goes on: its id is 0af7….
	if !strings.Contains(text, "\x0a\xf7\x65\x19\x16\xcd\x43\xdd\x84\x48\xeb\x21\x1c\x80\x31\x9c") {
		t.Error("the span does not belong to the caller's trace")
	}
}

func TestBadCollectorAddress(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"::not a url", "127.0.0.1:4318", "ftp://x"} {
		if _, err := traces.Open(traces.Options{Endpoint: at}); err == nil {
			t.Errorf("%s: accepted, want it refused with the form that works", at)
		} else if errors.Unwrap(err) == nil && !strings.Contains(err.Error(), "http") {
			t.Errorf("%s: got %v", at, err)
		}
	}
}
