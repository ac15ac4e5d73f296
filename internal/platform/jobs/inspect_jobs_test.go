package jobs

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"
)

func TestOperate(t *testing.T) {
	each(t, func(t *testing.T, w *testQueue) {
		broken := true
		w.define(Kind[note]{Name: "a", MaxAttempts: 1}, func(_ Job, p note) error {
			if broken && p.N%2 == 1 {
				return fmt.Errorf("broken %d", p.N)
			}
			return nil
		})
		w.define(Kind[note]{Name: "later"}, nil)
		ids := w.put(
			Enqueue{Kind: "a", Payload: note{1}}, Enqueue{Kind: "a", Payload: note{3}, Key: "k"},
			Enqueue{Kind: "a", Payload: note{5}},
			Enqueue{Kind: "later", Payload: note{10}, At: epoch.Add(time.Hour), Key: "l"},
			Enqueue{Kind: "later", Payload: note{11}, At: epoch.Add(time.Hour), Key: "l"},
		)
		w.settle()
		w.runs()

		got := w.counts()
		if got["a dead"] != 3 || got["later ready"] != 1 || got["later blocked"] != 1 {
			t.Errorf("counts %v, want 3 dead, 1 ready, 1 blocked", got)
		}
		list := func(f Filter) (ns []string) {
			t.Helper()
			all, err := w.List(t.Context(), f)
			if err != nil {
				t.Fatal(err)
			}
			for _, i := range all {
				ns = append(ns, i.ID)
			}
			return ns
		}
		for name, c := range map[string]struct {
			f    Filter
			want []string
		}{
			"all":       {Filter{}, ids},
			"state":     {Filter{State: Dead}, ids[:3]},
			"kind":      {Filter{Kind: "later"}, ids[3:]},
			"key":       {Filter{Key: "k"}, ids[1:2]},
			"first two": {Filter{Limit: 2}, ids[:2]},
			"next two":  {Filter{Limit: 2, After: ids[1]}, ids[2:4]},
			"none":      {Filter{State: Running}, nil},
		} {
			if got := list(c.f); !slices.Equal(got, c.want) {
				t.Errorf("%s: got %v, want %v", name, got, c.want)
			}
		}
		i, err := w.Get(t.Context(), ids[1])
		if err != nil || i.Error != "broken 3" || i.Key != "k" || string(i.Payload) != `{"N":3}` {
			t.Errorf("get: %+v, %v; want the failure of job 3", i, err)
		}

		broken = false
		for _, err := range []error{
			w.Retry(t.Context(), ids[0]), w.Retry(t.Context(), ids[1]), w.Discard(t.Context(), ids[2]),
			w.Discard(t.Context(), ids[3]), // its lane goes on with the next
			w.Retry(t.Context(), ids[4]),   // which is made due now
		} {
			if err != nil {
				t.Errorf("operate: %v", err)
			}
		}
		w.settle()
		if got, want := w.numbers(), []int{1, 3, 11}; !slices.Equal(got, want) {
			t.Errorf("ran %v, want %v", got, want)
		}
		for _, id := range []string{ids[2], "", "x", "-1", "01", "99999999999999999999"} {
			if err := w.Retry(t.Context(), id); !errors.Is(err, ErrNotFound) {
				t.Errorf("retry %q: %v, want ErrNotFound", id, err)
			}
		}
	})
}

func TestOperateRefusesRunningJobs(t *testing.T) {
	each(t, func(t *testing.T, w *testQueue) {
		w.define(Kind[note]{Name: "a"}, func(j Job, _ note) error {
			if err := w.Discard(t.Context(), j.ID); !errors.Is(err, ErrState) {
				t.Errorf("discard: %v, want ErrState", err)
			}
			if err := w.Retry(t.Context(), j.ID); !errors.Is(err, ErrState) {
				t.Errorf("retry: %v, want ErrState", err)
			}
			return nil
		})
		w.put(Enqueue{Kind: "a", Payload: note{1}})
		w.settle()
		if got, want := len(w.runs()), 1; got != want {
			t.Errorf("ran %d jobs, want %d", got, want)
		}
	})
}
