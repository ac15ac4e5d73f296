package grants_test

import (
	"errors"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/grants"
)

func TestUserCode(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		"WDJB-MJHT": "WDJB-MJHT", "wdjb-mjht": "WDJB-MJHT", "WDJBMJHT": "WDJB-MJHT", "wdjb mjht": "WDJB-MJHT",
		"": "", "WDJB-MJH": "", "WDJB-MJHTX": "", "WDJB-MJHA": "", "WDJB-MJßT": "", "12345678": "",
	} {
		if got, ok := grants.UserCode(typed); got != want || ok != (want != "") {
			t.Errorf("UserCode(%q) = %q, %v; want %q", typed, got, ok, want)
		}
	}
}

func TestDeviceFlow(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		ada, c := h.User("ada"), h.client(identity.ClientDevice)

		s := h.device(c.ID)
		if !regexp.MustCompile(`^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$`).MatchString(s.UserCode) {
			t.Errorf("user code = %q", s.UserCode)
		}
		_, err := h.poll(s)
		wantErr(t, err, grants.ErrPending)

		g, err := h.Grants.ByUserCode(t.Context(), s.UserCode)
		must(t, err)
		_, err = h.Grants.ByUserCode(t.Context(), strings.ToLower(s.UserCode))
		wantErr(t, err, grants.ErrUnknown)

		_, err = h.Grants.Decide(t.Context(), g.ID, ada.ID, true)
		must(t, err)
		// A decision is reported at once, even to an early poll.
		tokens, err := h.poll(s)
		must(t, err)
		caller := h.resolves(tokens.Access, nil)
		scoped := caller.HasScope("storage.labels")
		if caller.UserID != ada.ID || caller.ClientID != c.ID || !scoped || tokens.Refresh == "" {
			t.Errorf("caller = %+v", caller)
		}
		_, err = h.poll(s)
		wantErr(t, err, grants.ErrClaimed)
		_, err = h.Grants.Decide(t.Context(), g.ID, ada.ID, false)
		wantErr(t, err, grants.ErrClaimed)
	})
}

func TestDeviceEnds(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		ada, c := h.User("ada"), h.client(identity.ClientDevice)

		denied := h.device(c.ID)
		_, err := h.Grants.Decide(t.Context(), denied.Grant.ID, ada.ID, false)
		must(t, err)
		_, err = h.poll(denied)
		wantErr(t, err, grants.ErrDenied)

		for _, p := range []grants.Poll{
			{Service: "labels", ClientID: "other", Code: denied.DeviceCode},
			{Service: "analytics", ClientID: c.ID, Code: denied.DeviceCode},
			{Service: "labels", ClientID: c.ID, Code: "junk"},
		} {
			_, err = h.Grants.PollDevice(t.Context(), p, pair())
			wantErr(t, err, grants.ErrUnknown)
		}

		late, approved := h.device(c.ID), h.approved(c.ID, ada.ID)
		h.Clock.Advance(30 * time.Minute)
		for _, s := range []grants.DeviceStart{late, approved} {
			_, err = h.poll(s)
			wantErr(t, err, grants.ErrExpired)
		}
		_, err = h.Grants.ByUserCode(t.Context(), late.UserCode)
		wantErr(t, err, grants.ErrExpired)
		_, err = h.Grants.Decide(t.Context(), late.Grant.ID, ada.ID, true)
		wantErr(t, err, grants.ErrExpired)
	})
}

// TestManyDevicesPoll: the codes of thousands of devices are read once, and then a decision
// about one of them is seen at its next poll.
func TestManyDevicesPoll(t *testing.T) {
	t.Parallel()
	h := onSQLite(t)
	ada, c := h.User("ada"), h.client(identity.ClientDevice)
	const devices = 3000
	starts := make([]grants.DeviceStart, devices)
	var group errgroup.Group
	group.SetLimit(64)
	for i := range starts {
		group.Go(func() (err error) {
			starts[i], err = h.Grants.StartDevice(t.Context(), deviceRequest(c.ID))
			return err
		})
	}
	must(t, group.Wait())
	for range 2 {
		for _, s := range starts {
			_, err := h.poll(s)
			wantErr(t, err, grants.ErrPending)
		}
		h.Clock.Advance(10 * time.Second)
	}
	if kept := h.Grants.Kept(); kept.Hits != devices {
		t.Errorf("%d of %d polls were answered without reading, want %d", kept.Hits, 2*devices, devices)
	}
	_, err := h.Grants.Decide(t.Context(), starts[7].Grant.ID, ada.ID, false)
	must(t, err)
	_, err = h.poll(starts[7])
	wantErr(t, err, grants.ErrDenied)
}

// TestPollPace is the rule that a device which obeys is never held back.
func TestPollPace(t *testing.T) {
	t.Parallel()
	const late, soon = 0, 1
	const jitter = 4100 * time.Millisecond
	verdicts := []error{grants.ErrPending, grants.ErrTooSoon}
	type step struct {
		gap   time.Duration
		style string
		want  int
	}
	for name, steps := range map[string][]step{
		"at the interval": {{0, "post", late}, {5 * time.Second, "post", late}, {5 * time.Second, "post", late}},
		"with jitter":     {{0, "post", late}, {jitter, "post", late}, {jitter, "post", late}},
		"twice at once":   {{0, "post", late}, {0, "post", soon}},
		"too fast":        {{0, "post", late}, {time.Second, "post", soon}, {time.Second, "post", soon}},
		"recovers":        {{0, "post", late}, {time.Second, "post", soon}, {10 * time.Second, "post", late}},
		"both styles at once": {
			{0, "basic", late}, {1e6, "post", late}, {5 * time.Second, "basic", late}, {1e6, "post", late},
		},
		"a pair is not four": {{0, "basic", late}, {1e6, "post", late}, {1e6, "basic", soon}},
		"a pair shares a refusal": {
			{0, "post", late}, {2 * time.Second, "basic", soon}, {1e6, "post", soon}, {4 * time.Second, "post", late},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := onSQLite(t)
			s := h.device(h.client(identity.ClientDevice).ID)
			for n, step := range steps {
				h.Clock.Advance(step.gap)
				if _, err := h.pollAs(s, step.style); !errors.Is(err, verdicts[step.want]) {
					t.Errorf("poll %d: %v, want %v", n, err, verdicts[step.want])
				}
			}
		})
	}
}

// BenchmarkStartDevice is the durable part of a device code request, with as
// many callers as share a commit in production.
func BenchmarkStartDevice(b *testing.B) {
	h := onSQLite(b)
	c := h.client(identity.ClientDevice)
	b.SetParallelism(32 / runtime.GOMAXPROCS(0))
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			_, err := h.Grants.StartDevice(b.Context(), grants.DeviceRequest{
				Service: "labels", ClientID: c.ID, Scopes: []string{"storage.labels"}, TTL: time.Hour, Interval: time.Second,
			})
			if err != nil {
				b.Error(err)
				return
			}
		}
	})
}
