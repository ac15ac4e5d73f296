package conformance

import (
	"testing"
	"time"
)

func TestMachineTimes(t *testing.T) {
	t.Parallel()
	machine := time.Date(2026, time.November, 16, 10, 0, 0, 0, time.UTC)
	for text, want := range map[string]int{
		`{"at":"2026-11-16T10:00:00Z"}`:                    1,
		`{"at":"2055-11-16T10:00:00Z"}`:                    0,
		`session=x; Expires=Tue, 16 Feb 2027 10:00:00 GMT`: 1,
		`Tue, 16 Feb 2055 10:00:00 GMT`:                    0,
		`{"reset":1794823200,"created":1794823200000}`:     2,
		`{"id":1234567890,"at":2694823200}`:                0,
		`2026/11/16 and 2022-11-28`:                        1,
		`an id such as a1794823200b`:                       0,
	} {
		if got := machineTimes(machine, text); len(got) != want {
			t.Errorf("%s: found %v, want %d", text, got, want)
		}
	}
}
