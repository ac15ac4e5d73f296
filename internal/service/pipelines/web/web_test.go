package web

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/service/pipelines/build"
)

func TestBadges(t *testing.T) {
	t.Parallel()
	for status, want := range map[build.Status]string{
		"success": "passing", "fixed": "passing", "failed": "failing", "timedout": "failing", "no_tests": "failing",
		"running": "running", "not_running": "not running", "canceled": "canceled", "retried": "retried",
	} {
		svg := string(badgeOf(&build.Build{State: build.State{Status: status}}))
		if !strings.Contains(svg, "<title>pipelines: "+want+"</title>") {
			t.Errorf("%s: got %s, want %s", status, svg, want)
		}
	}
	if svg := string(badgeOf(nil)); !strings.Contains(svg, "pipelines: no builds") {
		t.Errorf("without a job: got %s", svg)
	}
}

func TestFeedLines(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC)
	for _, tc := range []struct {
		name                   string
		b                      *build.Build
		activity, status, when string
	}{
		{"no job", nil, "Sleeping", "Unknown", ""},
		{"running", &build.Build{State: build.State{Lifecycle: build.Running, Status: "running"}}, "Building",
			"Unknown", ""},
		{
			"failed", &build.Build{StopTime: at, State: build.State{Lifecycle: build.Finished, Status: "failed"}},
			"Sleeping", "Failure", "2026-05-06T07:08:09.000Z",
		},
	} {
		if p := newCCProject("ada/stoa", "", tc.b); p.Activity != tc.activity || p.Status != tc.status ||
			p.Time != tc.when {
			t.Errorf("%s: got %+v", tc.name, p)
		}
	}
}

// TestStreamsOfAllAddresses checks the bound of the process.
func TestStreamsOfAllAddresses(t *testing.T) {
	t.Parallel()
	s := streams{perAddress: map[string]int{}}
	for i := range maxStreams {
		if _, err := s.open(fmt.Sprint(i)); err != nil {
			t.Fatalf("stream %d: %v", i, err)
		}
	}
	var full *limit.Exceeded
	if _, err := s.open("one more"); !errors.As(err, &full) || full.Limit != maxStreams {
		t.Errorf("got %v, want the bound of %d", err, maxStreams)
	}
}

func TestStepTitle(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"Checkout":              "Checkout",
		"set -e\nmake":          "set -e …",
		"make test\n":           "make test",
		strings.Repeat("é", 61): strings.Repeat("é", 60) + " …",
		"cd services/front && npm ci --no-audit && npm run build -- --mode production": "cd services/front && " +
			"npm ci --no-audit && npm run build …",
	} {
		if got := stepTitle(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
