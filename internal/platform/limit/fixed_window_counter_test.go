package limit

import (
	"errors"
	"testing"
	"time"
)

func TestFixedWindow(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.run("starts with the first charge and resets", func(t *testing.T, w *world) {
			win := Window{Name: "core", Limit: 5, Per: time.Hour}
			d, err := w.Peek(t.Context(), win, "ann")
			if err != nil {
				t.Fatal(err)
			}
			w.want("peek at an unused key", d, true, 0, 5, time.Hour, 0)
			w.clock.Advance(time.Minute)
			w.want("first", w.take(win, "ann", 1), true, 1, 4, 61*time.Minute, 0)
			w.clock.Advance(time.Minute)
			w.want("three points", w.take(win, "ann", 3), true, 4, 1, 61*time.Minute, 0)
			w.want("two points too many", w.take(win, "ann", 2), false, 4, 1, 61*time.Minute, 59*time.Minute)
			w.want("the last point", w.take(win, "ann", 1), true, 5, 0, 61*time.Minute, 0)
			w.want("one too many", w.take(win, "ann", 1), false, 5, 0, 61*time.Minute, 59*time.Minute)
			w.want("nothing always fits", w.take(win, "ann", 0), true, 5, 0, 61*time.Minute, 0)
			w.want("another key", w.take(win, "bob", 1), true, 1, 4, 62*time.Minute, 0)
			w.clock.Advance(59*time.Minute - 1)
			w.want("just before the reset", w.take(win, "ann", 1), false, 5, 0, 61*time.Minute, 1)
			w.clock.Advance(1)
			w.want("at the reset", w.take(win, "ann", 1), true, 1, 4, 121*time.Minute, 0)
		})

		w.run("aligned windows end at multiples", func(t *testing.T, w *world) {
			win := Window{Name: "m", Limit: 2, Per: time.Minute, Aligned: true}
			w.want("first", w.take(win, "a", 2), true, 2, 0, 30*time.Second, 0)
			w.want("second", w.take(win, "a", 1), false, 2, 0, 30*time.Second, 30*time.Second)
			w.clock.Advance(30 * time.Second)
			w.want("after the boundary", w.take(win, "a", 1), true, 1, 1, 90*time.Second, 0)
		})

		w.run("a limit may differ from caller to caller of one key", func(t *testing.T, w *world) {
			low, high := Window{Name: "x", Limit: 1, Per: time.Hour}, Window{Name: "x", Limit: 3, Per: time.Hour}
			w.want("low", w.take(low, "k", 1), true, 1, 0, time.Hour, 0)
			w.want("high", w.take(high, "k", 1), true, 2, 1, time.Hour, 0)
			w.want("low again", w.take(low, "k", 1), false, 2, 0, time.Hour, time.Hour)
		})

		w.run("a limit of nothing admits nothing", func(t *testing.T, w *world) {
			for _, limit := range []int64{0, -1} {
				win := Window{Name: "closed", Limit: limit, Per: time.Hour}
				w.want("take", w.take(win, "k", 1), false, 0, 0, time.Hour, time.Hour)
			}
			win := Window{Name: "small", Limit: 2, Per: time.Hour}
			w.want("more than there ever is", w.take(win, "k", 3), false, 0, 2, time.Hour, time.Hour)
		})

		w.run("spending overdraws", func(t *testing.T, w *world) {
			win := Window{Name: "cpu", Limit: 90, Per: time.Minute}
			d, err := w.Spend(t.Context(), win, "k", 100)
			if err != nil {
				t.Fatal(err)
			}
			w.want("spend", d, true, 100, 0, time.Minute, 0)
			w.want("take", w.take(win, "k", 1), false, 100, 0, time.Minute, time.Minute)
			for range 3 {
				if d, err = w.Spend(t.Context(), win, "k", maxCost); err != nil {
					t.Fatal(err)
				}
			}
			if want := int64(100 + 3*maxCost); d.Used != want {
				t.Errorf("used %d, want %d", d.Used, want)
			}
		})

		w.run("mistakes are refused", func(t *testing.T, w *world) {
			for _, c := range []struct {
				win  Window
				cost int64
			}{{Window{Limit: 1, Per: time.Second}, -1}, {Window{Limit: 1, Per: time.Second}, maxCost + 1}, {Window{Limit: 1}, 1},
				{Window{Limit: 1, Per: -1}, 1}} {
				_, err1 := w.Take(t.Context(), c.win, "k", c.cost)
				_, err2 := w.TakeAll(t.Context(), []Charge{{c.win, "k", c.cost}})
				_, err3 := w.Spend(t.Context(), c.win, "k", c.cost)
				_, err4 := w.Refund(t.Context(), c.win, "k", c.cost, Decision{})
				for _, err := range []error{err1, err2, err3, err4} {
					if !errors.Is(err, ErrCost) {
						t.Errorf("%+v for %d: got %v, want ErrCost", c.win, c.cost, err)
					}
				}
			}
		})
	})
}

func TestRefund(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for _, win := range []Window{
			{Name: "fixed", Limit: 3, Per: time.Minute}, {Name: "aligned", Limit: 3, Per: time.Minute, Aligned: true},
		} {
			refund := func(d Decision, cost int64) Decision {
				t.Helper()
				d, err := w.Refund(t.Context(), win, "k", cost, d)
				if err != nil {
					t.Fatal(err)
				}
				return d
			}
			first := w.take(win, "k", 2)
			second := w.take(win, "k", 1)
			if d := refund(first, 2); d.Used != 1 || d.Remaining != 2 {
				t.Errorf("%s: after a refund of 2 used %d, remaining %d; want 1, 2", win.Name, d.Used, d.Remaining)
			}
			if d := w.take(win, "k", 2); !d.Allowed {
				t.Errorf("%s: refunded points cannot be used", win.Name)
			}
			if d := refund(second, 100); d.Used < 0 || d.Remaining > 3 {
				t.Errorf("%s: refund of too much: used %d, remaining %d", win.Name, d.Used, d.Remaining)
			}
			w.clock.Advance(time.Minute)
			w.take(win, "k", 3)
			if d := refund(first, 2); d.Used != 3 {
				t.Errorf("%s: a refund to a window that is over changed used to %d, want 3", win.Name, d.Used)
			}
			unused, err := w.Refund(t.Context(), win, "unused", 1, first)
			if err != nil || unused.Used != 0 {
				t.Errorf("%s: refund to an unused key: %+v, %v", win.Name, unused, err)
			}
			w.clock.Set(epoch)
		}
	})
}

func TestPenalty(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		win := Window{
			Name: "p", Limit: 1, Per: time.Minute, Penalty: Penalty{After: 3, Base: time.Minute, Max: 3 * time.Minute},
		}
		expect := func(what string, allowed, banned bool, retry time.Duration) {
			t.Helper()
			d := w.take(win, "k", 1)
			if d.Allowed != allowed || d.Banned != banned || d.RetryAfter != retry {
				t.Errorf("%s: allowed %t, banned %t, retry %s; want %t, %t, %s", what, d.Allowed, d.Banned, d.RetryAfter, allowed,
					banned, retry)
			}
		}
		expect("first", true, false, 0)
		w.clock.Advance(30 * time.Second)
		expect("strike one", false, false, 30*time.Second)
		expect("strike two", false, false, 30*time.Second)
		expect("strike three", false, true, time.Minute)
		w.clock.Advance(45 * time.Second)
		expect("the window is over but the ban is not", false, true, 15*time.Second)
		expect("hammering on", false, true, 15*time.Second)
		expect("gives a longer ban", false, true, 2*time.Minute)
		w.clock.Advance(2*time.Minute - 1)
		expect("until its very end", false, true, 1)
		w.clock.Advance(1)
		expect("then it is served", true, false, 0)
		w.take(win, "k", 1)
		w.take(win, "k", 1)
		expect("the level is remembered, and a ban has a longest", false, true, 3*time.Minute)
		w.clock.Advance(6 * time.Minute)
		expect("behaving as long again", true, false, 0)
		w.take(win, "k", 1)
		w.take(win, "k", 1)
		expect("starts at the bottom again", false, true, time.Minute)
	})
}

func TestTakeAll(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		hour := Window{Name: "hour", Limit: 5, Per: time.Hour}
		minute := Window{Name: "minute", Limit: 2, Per: time.Minute}
		charges := []Charge{{hour, "k", 1}, {minute, "k", 1}}
		for n := int64(1); n <= 2; n++ {
			ds, refused := w.takeAll(charges...)
			if refused != nil || ds[0].Used != n || ds[1].Used != n {
				t.Fatalf("charge %d: %+v, %v", n, ds, refused)
			}
		}
		ds, refused := w.takeAll(charges...)
		if refused == nil || refused.Name != "minute" || !ds[0].Allowed || ds[1].Allowed {
			t.Errorf("third: %+v, %v; want a refusal by the minute only", ds, refused)
		}
		w.want("hour is not charged", ds[0], true, 2, 3, time.Hour, 0)
		w.want("minute says when", ds[1], false, 2, 0, time.Minute, time.Minute)
		w.clock.Advance(time.Minute)
		if ds, refused = w.takeAll(charges...); refused != nil || ds[0].Used != 3 || ds[1].Used != 1 {
			t.Errorf("after a minute: %+v, %v", ds, refused)
		}

		// The same budget twice counts twice, and both or none.
		if ds, refused = w.takeAll(Charge{hour, "k", 2}, Charge{hour, "k", 1}); refused == nil || ds[0].Used != 3 ||
			ds[1].Allowed {
			t.Errorf("twice the same, too much: %+v, %v; want a refusal of the second", ds, refused)
		}
		if ds, refused = w.takeAll(Charge{hour, "k", 1}, Charge{hour, "k", 1}); refused != nil || ds[1].Used != 5 {
			t.Errorf("twice the same: %+v, %v; want 5 used", ds, refused)
		}
		if ds, refused = w.takeAll(Charge{hour, "k", 1}, Charge{minute, "k", 5}); refused == nil || refused.Name != "hour" ||
			ds[1].Allowed {
			t.Errorf("both full: %+v, %v; want the first one's refusal", ds, refused)
		}
		if ds, refused = w.takeAll(); refused != nil || len(ds) != 0 {
			t.Errorf("nothing: %+v, %v", ds, refused)
		}

		strict := Window{Name: "strict", Limit: 1, Per: time.Minute, Penalty: Penalty{After: 2, Base: time.Hour}}
		w.take(strict, "k", 1)
		w.takeAll(Charge{strict, "k", 1})
		if ds, _ = w.takeAll(Charge{strict, "k", 1}); !ds[0].Banned || ds[0].RetryAfter != time.Hour {
			t.Errorf("hammering: %+v, want a ban of an hour", ds[0])
		}
	})
}

func TestGate(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		var releases []func()
		for n := int64(1); n <= 3; n++ {
			release, d, err := w.Gate(t.Context(), "busy", "k", 3)
			if err != nil || d.Used != n || d.Remaining != 3-n {
				t.Fatalf("holder %d: %+v, %v", n, d, err)
			}
			releases = append(releases, release)
		}
		release, d, err := w.Gate(t.Context(), "busy", "k", 3)
		var exceeded *Exceeded
		if !errors.As(err, &exceeded) || d.Allowed || d.Used != 3 || d.RetryAfter <= 0 {
			t.Errorf("fourth: %+v, %v; want a refusal", d, err)
		}
		release() // of a refusal: does nothing
		releases[0]()
		releases[0]()
		if _, d, err = w.Gate(t.Context(), "busy", "k", 3); err != nil || d.Used != 3 {
			t.Errorf("after one left: %+v, %v; want place for exactly one", d, err)
		}
		if _, _, err = w.Gate(t.Context(), "busy", "k", 3); !errors.As(err, &exceeded) {
			t.Errorf("and no more: %v, want a refusal", err)
		}
		if _, _, err = w.Gate(t.Context(), "busy", "other", 1); err != nil {
			t.Errorf("another key: %v", err)
		}
		if _, _, err = w.Gate(t.Context(), "shut", "k", 0); !errors.As(err, &exceeded) {
			t.Errorf("a gate for none: %v, want a refusal", err)
		}
	})
}
