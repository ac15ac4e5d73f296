package grants

import (
	"testing"
	"time"
)

// TestPollsAreForgotten lets devices give up: what is known of them goes with the second
// turn, and a turn between two polls of one device does not hide that it polls too soon.
func TestPollsAreForgotten(t *testing.T) {
	t.Parallel()
	var p pollTimes
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for id := range int64(100) {
		if p.tooSoon(id, 5*time.Second, "form", now) {
			t.Fatalf("the first poll of device %d is too soon", id)
		}
	}
	const device, interval = 7, 5 * time.Second
	now = now.Add(keepPolls - time.Second)
	if p.tooSoon(device, interval, "form", now) {
		t.Error("a poll after minutes is too soon")
	}
	now = now.Add(2 * time.Second)
	if !p.tooSoon(device, interval, "form", now) {
		t.Error("a poll after two seconds, with a turn between, is not too soon")
	}
	p.tooSoon(device, interval, "form", now.Add(keepPolls))
	if got := len(p.last) + len(p.before); got > 2 {
		t.Errorf("%d polls are kept of devices that gave up", got-1)
	}
	p.forget(device)
	if p.tooSoon(device, interval, "form", now.Add(keepPolls+time.Second)) {
		t.Error("a device that was forgotten polls too soon")
	}
}
