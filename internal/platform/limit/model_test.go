package limit

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// model is the budgets of all keys in the most obvious form.
type model struct {
	fixed map[string]*modelFixed
	gates map[string]int64
}

type modelFixed struct {
	ends time.Time
	used int64
}

type modelCharge struct {
	at   time.Time
	cost int64
}

func newModel() *model {
	return &model{map[string]*modelFixed{}, map[string]int64{}}
}

// used is what counts against the key now.
func (m *model) used(w Window, key string, now time.Time) (used int64) {
	key = w.Name + "/" + key
	f := m.fixed[key]
	end := now.Add(w.Per)
	latest := end
	if w.Aligned {
		end = aligned(now, w.Per).Add(w.Per)
		latest = end.Add(w.Per)
	}
	if f == nil || !now.Before(f.ends) {
		f = &modelFixed{ends: end}
		m.fixed[key] = f
	}
	if f.ends.After(latest) {
		f.ends = end
	}
	return f.used
}

// aligned is the last multiple of per since 1970.
func aligned(t time.Time, per time.Duration) time.Time {
	return t.Add(-time.Duration(t.UnixNano() % int64(per)))
}

func (m *model) charge(w Window, key string, now time.Time, cost int64) {
	m.used(w, key, now)
	m.fixed[w.Name+"/"+key].used += cost
}

// takeAll tells which charge does not fit, -1 for none.
func (m *model) takeAll(charges []Charge, now time.Time) int {
	more := map[string]int64{}
	look := m.clone()
	for i, c := range charges {
		id := c.Window.Name + "/" + c.Key
		more[id] += c.Cost
		if c.Cost > 0 && look.used(c.Window, c.Key, now)+more[id] > c.Window.Limit {
			return i
		}
	}
	for _, c := range charges {
		m.charge(c.Window, c.Key, now, c.Cost)
	}
	return -1
}

// step is one thing that happens.
type step struct {
	Do      string // take, all, peek, enter, leave, advance, jump
	Charges []Charge
	By      time.Duration
}

func steps() *rapid.Generator[[]step] {
	windows := []Window{
		{Name: "fixed", Limit: 5, Per: 10 * time.Second},
		{Name: "aligned", Limit: 4, Per: 7 * time.Second, Aligned: true},
		{Name: "longer", Limit: 6, Per: 9 * time.Second},
	}
	charge := rapid.Custom(func(t *rapid.T) Charge {
		return Charge{
			rapid.SampledFrom(windows).Draw(t, "window"), rapid.SampledFrom([]string{"a", "b"}).Draw(t, "key"),
			rapid.Int64Range(0, 3).Draw(t, "cost"),
		}
	})
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) step {
		return step{
			rapid.SampledFrom([]string{"take", "take", "take", "all", "all", "peek", "enter", "enter", "leave", "advance",
				"advance", "jump"}).Draw(t, "do"),
			rapid.SliceOfN(charge, 1, 4).Draw(t, "charges"),
			time.Duration(rapid.Int64Range(1, int64(6*time.Second)).Draw(t, "by")),
		}
	}), 1, 60)
}

// play runs steps on a limiter and the model and compares every answer. Keys
// get a prefix, so that one database serves many plays.
func play(t rapid.TB, w *world, prefix string, steps []step) {
	t.Helper()
	m := newModel()
	var releases []func()
	for i, s := range steps {
		now := w.clock.Now()
		for i := range s.Charges {
			s.Charges[i].Key = prefix + s.Charges[i].Key
		}
		c := s.Charges[0]
		switch s.Do {
		case "advance":
			w.clock.Advance(s.By)
		case "jump":
			w.clock.Advance(-s.By)
		case "enter":
			release, d, err := w.Gate(w.t.Context(), "gate", prefix, 3)
			if want := m.gates[prefix] < 3; d.Allowed != want || (err == nil) != want {
				t.Fatalf("step %d: enter with %d inside: %+v, %v", i, m.gates[prefix], d, err)
			}
			if err == nil {
				releases = append(releases, release)
				m.gates[prefix]++
			}
		case "leave":
			if len(releases) > 0 {
				releases[0]()
				releases = releases[1:]
				m.gates[prefix]--
			}
		case "peek":
			d, err := w.Peek(w.t.Context(), c.Window, c.Key)
			if want := m.clone().used(c.Window, c.Key, now); err != nil || d.Used != want {
				t.Fatalf("step %d: peek at %s/%s: used %d, %v; want %d", i, c.Window.Name, c.Key, d.Used, err, want)
			}
		case "take":
			want := m.takeAll(s.Charges[:1], now) < 0
			m.used(c.Window, c.Key, now) // a refused charge, too, starts a window
			d := w.take(c.Window, c.Key, c.Cost)
			compare(t, i, w, m, c, d, want)
		case "all":
			want := m.takeAll(s.Charges, now)
			ds, exceeded := w.takeAll(s.Charges...)
			if (exceeded == nil) != (want < 0) || (want >= 0 && ds[want].Allowed) {
				t.Fatalf("step %d: all of %+v: %+v; want refusal at %d", i, s.Charges, ds, want)
			}
			for j, c := range s.Charges {
				d, err := w.Peek(w.t.Context(), c.Window, c.Key)
				if used := m.clone().used(c.Window, c.Key, now); err != nil || d.Used != used {
					t.Fatalf("step %d: after all of %+v charge %d has used %d, %v; want %d", i, s.Charges, j, d.Used, err, used)
				}
			}
		}
	}
	for _, release := range releases {
		release()
	}
}

func compare(t rapid.TB, i int, w *world, m *model, c Charge, d Decision, allowed bool) {
	t.Helper()
	now := w.clock.Now()
	used := m.used(c.Window, c.Key, now)
	longest := c.Window.Per
	if c.Window.Aligned {
		longest *= 2
	}
	switch {
	case d.Allowed != allowed || d.Used != used || d.Remaining != max(c.Window.Limit-used, 0) || d.Limit != c.Window.Limit:
		t.Fatalf("step %d: take %d of %s/%s: %+v; want allowed %t, used %d", i, c.Cost, c.Window.Name, c.Key, d, allowed,
			used)
	case d.Reset.After(now.Add(longest)) || d.Reset.Before(now):
		t.Fatalf("step %d: resets at %s, want at most %s after %s", i, d.Reset, longest, now)
	case (d.RetryAfter > 0) == d.Allowed || d.RetryAfter > longest:
		t.Fatalf("step %d: retry after %s, allowed %t", i, d.RetryAfter, d.Allowed)
	case !d.Reset.Equal(m.fixed[c.Window.Name+"/"+c.Key].ends):
		t.Fatalf("step %d: resets at %s, want %s", i, d.Reset, m.fixed[c.Window.Name+"/"+c.Key].ends)
	}
	// What it says about the wait is exact: a moment earlier is too early.
	if !d.Allowed && c.Cost <= c.Window.Limit {
		early, late := now.Add(d.RetryAfter-1), now.Add(d.RetryAfter)
		if m.clone().used(c.Window, c.Key, late)+c.Cost > c.Window.Limit ||
			m.clone().used(c.Window, c.Key, early)+c.Cost <= c.Window.Limit {
			t.Fatalf("step %d: the wait of %s for %+v is not exact", i, d.RetryAfter, c)
		}
	}
}

func (m *model) clone() *model {
	c := newModel()
	for k, v := range m.fixed {
		f := *v
		c.fixed[k] = &f
	}
	return c
}

func TestModel(t *testing.T) {
	t.Run("memory", func(t *testing.T) {
		t.Parallel()
		rapid.Check(t, func(rt *rapid.T) {
			play(rt, newWorld(t, nil, 0), "", steps().Draw(rt, "steps"))
		})
	})
	t.Run("memory that is full", func(t *testing.T) {
		t.Parallel()
		rapid.Check(t, func(rt *rapid.T) {
			crowded(rt, newWorld(t, nil, 1), steps().Draw(rt, "steps"))
		})
	})
	t.Run("both databases", func(t *testing.T) {
		each(t, func(t *testing.T, w *world) {
			for seed := range 6 {
				play(t, w, fmt.Sprint(seed), steps().Example(seed+1))
			}
		})
	})
}

// crowded checks the one promise of a limiter that is full: no key is admitted
// more than its limit in any window.
func crowded(t *rapid.T, w *world, steps []step) {
	admitted := map[string][]modelCharge{}
	for i, s := range steps {
		switch s.Do {
		case "advance":
			w.clock.Advance(s.By)
		case "take", "peek":
			for n, c := range s.Charges {
				// Many keys, so that hardly any has a counter of its own.
				c.Key = fmt.Sprint(c.Key, (i+n)%3)
				if w.take(c.Window, c.Key, c.Cost).Allowed {
					id := c.Window.Name + "/" + c.Key
					admitted[id] = append(admitted[id], modelCharge{w.clock.Now(), c.Cost})
				}
			}
		}
	}
	for id, charges := range admitted {
		checkFixed(t, id, charges)
	}
}

// checkFixed: from any charge on, less than one length sees at most two
// windows, so at most twice the limit; aligned windows are checked exactly.
func checkFixed(t *rapid.T, id string, charges []modelCharge) {
	for i, first := range charges {
		var near, same int64
		for _, c := range charges[i:] {
			if c.at.Sub(first.at) < 10*time.Second {
				near += c.cost
			}
			if aligned(c.at, 7*time.Second).Equal(aligned(first.at, 7*time.Second)) {
				same += c.cost
			}
		}
		if id[:5] == "fixed" && near > 2*5 {
			t.Fatalf("%s was admitted %d within one length, want at most 10", id, near)
		}
		if id[:5] == "align" && same > 4 {
			t.Fatalf("%s was admitted %d in one window, want at most 4", id, same)
		}
	}
}
