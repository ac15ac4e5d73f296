package calendar_test

import (
	"testing"

	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/service/calendar"
)

func BenchmarkPurge(b *testing.B) {
	identitytest.Purge{
		Path: "/calendar/v3/calendars/primary/events", Body: `{"start":{"date":"2026-03-10"},"end":{"date":"2026-03-11"}}`,
		Table: "calendar_events", Life: calendar.DefaultConfig().SyncLifetime,
	}.Benchmark(b, build)
}
