package build

import (
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func lifecycles() []Lifecycle { return []Lifecycle{Queued, NotRun, NotRunning, Running, Finished} }

func statuses() []Status {
	all := []Status{StatusRetried, StatusFixed}
	for _, o := range Outcomes() {
		all = append(all, Status(o))
	}
	for _, l := range lifecycles() {
		if l != Finished {
			all = append(all, Status(l))
		}
	}
	return all
}

func eventKinds() []EventKind {
	return []EventKind{EventReady, EventStart, EventFinish, EventLost, EventCancel, EventSkip, EventRefuse}
}

// TestTransitions walks the whole graph: every lifecycle with every event.
func TestTransitions(t *testing.T) {
	t.Parallel()
	legal := map[Lifecycle]map[EventKind]State{
		NotRunning: {
			EventReady: {Queued, "", "queued"}, EventCancel: {Finished, Canceled, "canceled"},
			EventSkip: {NotRun, "", "not_run"}, EventRefuse: {Finished, Failed, "failed"},
		},
		Queued: {
			EventStart: {Running, "", "running"}, EventCancel: {Finished, Canceled, "canceled"},
			EventSkip: {NotRun, "", "not_run"},
		},
		Running: {
			EventFinish: {Finished, Failed, "failed"}, EventLost: {Finished, InfrastructureFail, "infrastructure_fail"},
			EventCancel: {Finished, Canceled, "canceled"},
		},
	}
	for _, from := range lifecycles() {
		for _, kind := range eventKinds() {
			got, err := State{Lifecycle: from}.Apply(Event{Kind: kind, Outcome: Failed})
			want, ok := legal[from][kind]
			var refused *TransitionError
			switch {
			case ok && (err != nil || got != want):
				t.Errorf("%s %s: got %v, %v, want %v", from, kind, got, err, want)
			case !ok && !errors.As(err, &refused):
				t.Errorf("%s %s: got %v, %v, want a refusal", from, kind, got, err)
			}
		}
	}
}

func TestStatusOfOutcomes(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		event Event
		want  Status
	}{
		{"success", Event{Kind: EventFinish, Outcome: Success}, "success"},
		{"fixed", Event{Kind: EventFinish, Outcome: Success, WasFailing: true}, "fixed"},
		{"failed again", Event{Kind: EventFinish, Outcome: Failed, WasFailing: true}, "failed"},
		{"timed out", Event{Kind: EventFinish, Outcome: TimedOut}, "timedout"},
		{"no tests", Event{Kind: EventFinish, Outcome: NoTests}, "no_tests"},
		{"lost", Event{Kind: EventLost}, "infrastructure_fail"},
		{"lost and run again", Event{Kind: EventLost, RunAgain: true}, "retried"},
		{"canceled whatever else", Event{Kind: EventCancel, Outcome: Success, RunAgain: true}, "canceled"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, err := State{Lifecycle: Running}.Apply(tc.event)
			if err != nil || got.Status != tc.want {
				t.Errorf("got %v, %v, want %s", got, err, tc.want)
			}
		})
	}
	if _, err := (State{Lifecycle: Running}).Apply(Event{Kind: EventFinish, Outcome: "glorious"}); err == nil {
		t.Error("an outcome that the contract does not have was accepted")
	}
}

// TestOnlyLegalStates throws events at a job and checks that it never shows a
// combination of words that the contract does not have, and never leaves an end.
func TestOnlyLegalStates(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := NewState()
		for range rapid.IntRange(0, 12).Draw(t, "events") {
			before := s
			e := Event{
				Kind:       rapid.SampledFrom(eventKinds()).Draw(t, "kind"),
				Outcome:    rapid.SampledFrom(Outcomes()).Draw(t, "outcome"),
				WasFailing: rapid.Bool().Draw(t, "failing"), RunAgain: rapid.Bool().Draw(t, "again"),
			}
			var err error
			s, err = s.Apply(e)
			if err != nil && s != before {
				t.Fatalf("a refused event changed %v to %v", before, s)
			}
			if before.Ended() && s != before {
				t.Fatalf("%v left its end for %v", before, s)
			}
			if !slices.Contains(lifecycles(), s.Lifecycle) || !slices.Contains(statuses(), s.Status) {
				t.Fatalf("%v holds a word that the contract lacks", s)
			}
			if (s.Outcome != "") != (s.Lifecycle == Finished) {
				t.Fatalf("%v: an outcome belongs to finished jobs alone", s)
			}
		}
	})
	if got := len(statuses()); got != 12 {
		t.Errorf("%d statuses, want the contract's 12", got)
	}
}
