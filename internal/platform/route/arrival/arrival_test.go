package arrival_test

import (
	"errors"
	"io"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route/arrival"
	"stoa.dev/stoa/internal/platform/wire"
)

// TestStepsOfABody: what is announced holds little; what has come is covered, and at most
// twice as much is held.
func TestStepsOfABody(t *testing.T) {
	t.Parallel()
	const size = 8 << 20
	for name, length := range map[string]int64{"announced": size, "without a length": -1} {
		pool := budget.New(budget.Options{Name: "memory", Total: 64 << 20})
		text := io.NopCloser(strings.NewReader(strings.Repeat("x", size)))
		b, err := arrival.Weigh(t.Context(), pool, budget.Caller("ann"), text, length)
		if err != nil {
			t.Fatal(err)
		}
		if pool.Used() > 256<<10 {
			t.Errorf("%s: %d bytes are held before one came", name, pool.Used())
		}
		part, read := make([]byte, 10<<10), int64(0)
		for err == nil {
			var n int
			n, err = b.Read(part)
			read += int64(n)
			if used := pool.Used(); used < 4*read && read > arrival.Light || used > max(8*read, 256<<10) {
				t.Fatalf("%s: %d bytes are held when %d have come", name, used, read)
			}
		}
		if !errors.Is(err, io.EOF) || read != size || pool.Used() != 4*size {
			t.Errorf("%s: %d bytes read, %d held: %v", name, read, pool.Used(), err)
		}
		if b.Release(); pool.Used() != 0 {
			t.Errorf("%s: %d bytes are still held", name, pool.Used())
		}
	}
}

// TestRefusals: what can never fit is refused at once, what does not fit now where it
// stops to fit, for good.
func TestRefusals(t *testing.T) {
	t.Parallel()
	pool := budget.New(budget.Options{Name: "memory", Total: 1 << 20})
	ann := budget.Caller("ann")
	if _, err := arrival.Weigh(t.Context(), pool, ann, nil, 300<<10); !errors.Is(err, wire.ErrTooLarge) {
		t.Errorf("more than there is: %v", err)
	}
	b, err := arrival.Weigh(t.Context(), pool, ann, io.NopCloser(strings.NewReader(strings.Repeat("x", 200<<10))), 200<<10)
	if err != nil {
		t.Fatal(err)
	}
	held, err := pool.Take(t.Context(), budget.Caller("bob"), 512<<10)
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.ReadAll(b)
	held.Release()
	_, again := b.Read(make([]byte, 1))
	if busy := new(limit.Exceeded); !errors.As(err, &busy) || !errors.Is(b.Refused(), err) || !errors.Is(again, err) {
		t.Errorf("got %v, then %v; kept %v", err, again, b.Refused())
	}
}

// TestRate: a byte now and then is not enough, a chunk is, and the handler's own time does
// not count.
func TestRate(t *testing.T) {
	t.Parallel()
	start := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	for name, row := range map[string]struct {
		n            int
		read, pause  time.Duration
		end          time.Duration
		reads, total int // how many reads may be made, of how many
	}{
		"a byte each 6 s":       {1, 6 * time.Second, 0, 0, 1, 100},
		"a byte each second":    {1, time.Second, 0, 0, 9, 100},
		"a chunk each 20 s":     {8 << 10, 2500 * time.Millisecond, 0, 0, 100, 100},
		"a slow handler":        {32 << 10, time.Second, time.Minute, 0, 100, 100},
		"longer than the end":   {8 << 10, 2500 * time.Millisecond, 0, time.Minute, 24, 100},
		"2 kB each second":      {2 << 10, time.Second, 0, 0, 100, 100},
		"less than a part each": {1 << 10, time.Second, 0, 0, 9, 100},
		"a part, then nothing":  {arrival.Part, 4500 * time.Millisecond, 0, 0, 100, 100},
	} {
		c := clock.NewVirtual(start)
		r := arrival.Rate{Clock: c}
		if row.end > 0 {
			r.End = start.Add(row.end)
		}
		reads := 0
		for reads < row.total {
			if at := r.Begin(); c.Now().Add(row.read).After(at) {
				break
			}
			c.Advance(row.read)
			r.Done(row.n)
			c.Advance(row.pause)
			reads++
		}
		if reads != row.reads {
			t.Errorf("%s: %d reads were in time, want %d", name, reads, row.reads)
		}
	}
}

// TestPauseOfWhatFlows: what came well so far may not pause for longer than what begins.
func TestPauseOfWhatFlows(t *testing.T) {
	t.Parallel()
	c := clock.NewVirtual(time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC))
	r := arrival.Rate{Clock: c}
	for _, n := range []int{arrival.Part, 1 << 20, arrival.Part} {
		if wait := r.Begin().Sub(c.Now()); wait != arrival.Time {
			t.Errorf("a part may take %s, want %s", wait, arrival.Time)
		}
		r.Done(n)
	}
	r.Begin()
	c.Advance(arrival.Time / 3)
	r.Done(1)
	if wait := r.Begin().Sub(c.Now()); wait != arrival.Time*2/3 {
		t.Errorf("the rest of a part may take %s, want %s", wait, arrival.Time*2/3)
	}
}

// TestWaitBeforeTheFirstRead: a request that waits before its body is read has less time for what
// did not come meanwhile.
func TestWaitBeforeTheFirstRead(t *testing.T) {
	t.Parallel()
	for waited, want := range map[time.Duration]time.Duration{
		0: arrival.Time, 4 * time.Second: arrival.Time - 4*time.Second, time.Minute: time.Second / 2,
	} {
		c := clock.NewVirtual(time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC))
		r := arrival.Rate{Clock: c, Since: c.Now()}
		c.Advance(waited)
		if got := r.Begin().Sub(c.Now()); got != want {
			t.Errorf("after %s the first read has %s, want %s", waited, got, want)
		}
		for _, read := range []struct{ took, want time.Duration }{{0, want}, {time.Second, arrival.Time}} {
			c.Advance(read.took)
			r.Done(arrival.Part)
			if got := r.Begin().Sub(c.Now()); got != read.want {
				t.Errorf("after %s and a part that took %s the next has %s, want %s", waited, read.took, got, read.want)
			}
		}
	}
}

// TestLimit: a reader has the time of the route, and never longer than a sender.
func TestLimit(t *testing.T) {
	t.Parallel()
	for own, want := range map[time.Duration]time.Duration{
		0: arrival.Time, time.Second: time.Second, time.Minute: arrival.Time,
	} {
		if got := arrival.Limit(own); got != want {
			t.Errorf("with %s: %s, want %s", own, got, want)
		}
	}
}

// TestPaced: each read has the deadline that the rate gives it.
func TestPaced(t *testing.T) {
	t.Parallel()
	c := clock.NewVirtual(time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC))
	end := c.Now().Add(arrival.Time + time.Second)
	w := &deadlines{ResponseRecorder: httptest.NewRecorder()}
	r := httptest.NewRequest("POST", "/", strings.NewReader(strings.Repeat("x", arrival.Part+1)))
	body := arrival.Paced(w, r, &arrival.Rate{Clock: c, End: end})
	for _, want := range []time.Time{c.Now().Add(arrival.Time), end} {
		if _, err := body.Read(make([]byte, arrival.Part)); err != nil || !w.at.Equal(want) {
			t.Errorf("a read until %s, %v; want %s", w.at, err, want)
		}
		c.Advance(2 * time.Second)
	}
}

// deadlines is a writer whose connection has them.
type deadlines struct {
	*httptest.ResponseRecorder
	at time.Time
}

func (d *deadlines) SetReadDeadline(at time.Time) error {
	d.at = at
	return nil
}
