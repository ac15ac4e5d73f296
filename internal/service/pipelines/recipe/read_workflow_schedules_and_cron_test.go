package recipe_test

import (
	"testing"
	"time"

	"stoa.dev/stoa/internal/service/pipelines/recipe"
)

func TestScheduleNext(t *testing.T) {
	t.Parallel()
	at := func(text string) time.Time {
		out, err := time.Parse("2006-01-02 15:04:05", text)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	for _, tc := range []struct{ cron, after, want string }{
		{"* * * * *", "2026-03-01 10:00:30", "2026-03-01 10:01:00"},
		{"* * * * *", "2026-03-01 10:01:00", "2026-03-01 10:02:00"},
		{"0 0 * * *", "2026-12-31 00:00:00", "2027-01-01 00:00:00"},
		{"*/15 * * * *", "2026-03-01 10:46:00", "2026-03-01 11:00:00"},
		{"30 4 * * 1-5", "2026-03-06 05:00:00", "2026-03-09 04:30:00"}, // a Friday
		{"0 9 * * SUN", "2026-03-02 00:00:00", "2026-03-08 09:00:00"},
		{"0 9 * * 7", "2026-03-02 00:00:00", "2026-03-08 09:00:00"},
		{"0 0 13 * 5", "2026-03-01 00:00:00", "2026-03-06 00:00:00"}, // the 13th or a Friday
		{"0 0 29 2 *", "2025-03-01 00:00:00", "2028-02-29 00:00:00"},
		{"0 8-18/5 1,15 jan-mar *", "2026-01-01 13:00:00", "2026-01-01 18:00:00"},
	} {
		t.Run(tc.cron+" "+tc.after, func(t *testing.T) {
			t.Parallel()
			f := parse(t, "version: 2.1\njobs: {a: {steps: [{run: x}]}}\nworkflows: {w: {triggers: [{schedule: {cron: \""+
				tc.cron+"\", filters: {branches: {only: [main, /r-.*/]}}}}], jobs: [a]}}\n")
			all := f.Schedules()
			if len(all) != 1 || all[0].Workflow != "w" {
				t.Fatalf("schedules %+v", all)
			}
			want := at(tc.want)
			if got := all[0].Next(at(tc.after)); !got.Equal(want) {
				t.Errorf("next = %s, want %s", got, want)
			}
			for branch, want := range map[string]bool{"main": true, "r-1": true, "other": false} {
				if got, err := all[0].Admits(branch); got != want || err != nil {
					t.Errorf("admits %s: %v, %v", branch, got, err)
				}
			}
		})
	}
}

// TestScheduleBounds checks that what repeats in minutes is written once.
func TestScheduleBounds(t *testing.T) {
	t.Parallel()
	text := "version: 2.1\njobs: {a: {steps: [{run: x}]}}\nworkflows: {w: {jobs: [a], triggers: ["
	for range 21 {
		text += "{schedule: {cron: '* * * * *', filters: {branches: {only: main}}}},\n    "
	}
	if _, err := recipe.Parse([]byte(text + "]}}\n")); err == nil {
		t.Error("21 schedules were accepted")
	}
}
