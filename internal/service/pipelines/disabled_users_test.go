package pipelines_test

import (
	"strings"
	"testing"

	"stoa.dev/stoa/internal/service/pipelines"
	"stoa.dev/stoa/internal/service/pipelines/build"
)

// TestSchedulesOfDisabledUsers: a schedule runs nothing for a user who is disabled, a job says why, and it goes on
// once the user is enabled or another user has pushed to the branch.
func TestSchedulesOfDisabledUsers(t *testing.T) {
	run(t, pipelines.DefaultConfig(), nil, func(t *testing.T, h *testServer) {
		r := h.repo(t, "ada", "app", false)
		h.pushBy(t, r, "bob", nightly)
		disable := func(name string, disabled bool) {
			t.Helper()
			must(t, h.Identity.DisableUser(t.Context(), h.actor(name).ID, disabled))
		}
		next := nextThree(h.World.Clock.Now())
		run := func(num int64, want build.Status, actor string) {
			t.Helper()
			must(t, h.service.Due(t.Context(), r.ID, "main", "nightly", "0 3 * * *", next))
			must(t, h.World.Jobs.Settle(t.Context()))
			next = next.AddDate(0, 0, 1)
			b := h.until(t, r, num, want)
			if b.Why != build.WhySchedule || b.Actor.Name != actor {
				t.Errorf("job %d is %s of %s, want one of the schedule of %s", num, b.Why, b.Actor.Name, actor)
			}
			if refused := strings.HasPrefix(b.FailReason, `The account "bob"`); refused != (want == "failed") {
				t.Errorf("job %d: %q", num, b.FailReason)
			}
		}
		run(1, "success", "bob")
		disable("bob", true)
		run(2, "failed", "bob")
		disable("bob", false)
		run(3, "success", "bob")
		disable("bob", true)
		h.pushBy(t, r, "ada", nightly+"# ")
		run(4, "success", "ada")
		disable("bob", false)
		h.pushBy(t, r, "bob", nightly)
		run(5, "success", "ada")
	})
}

// TestPushesOfDisabledUsers: of what a user has pushed and what waits nothing is run once the user is disabled.
func TestPushesOfDisabledUsers(t *testing.T) {
	run(t, pipelines.DefaultConfig(), nil, func(t *testing.T, h *testServer) {
		r := h.repo(t, "ada", "app", false)
		must(t, h.service.StopWorker())
		h.pushBy(t, r, "bob", onejob("waits"))
		must(t, h.Identity.DisableUser(t.Context(), h.actor("bob").ID, true))
		must(t, h.service.StartWorker(t.Context(), 4))
		t.Cleanup(func() { must(t, h.service.StopWorker()) })
		b := h.until(t, r, 1, "canceled")
		if want := "The account bob, which asked for this, is disabled"; !strings.HasPrefix(b.FailReason, want) {
			t.Errorf("reason %q, want %q", b.FailReason, want)
		}
		h.pushBy(t, r, "bob", onejob("late"))
		b = h.until(t, r, 2, "failed")
		if want := `The account "bob", which asked for this, is disabled`; !strings.HasPrefix(b.FailReason, want) {
			t.Errorf("reason %q, want %q", b.FailReason, want)
		}
	})
}
