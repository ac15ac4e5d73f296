package lab

import (
	"testing"
	"time"
)

// TestIdleWorldsSleep: a world that is not asked falls asleep although its sweeps run every minute, and they do not
// wake it: a thousand worlds would wake each other's memory up forever.
func TestIdleWorldsSleep(t *testing.T) {
	t.Parallel()
	l := openEmpty(t)
	w := createEmpty(t, l, NewWorld{Name: "idle"})
	later := l.clock.Now().Add(l.options.Idle + time.Second)
	if err := w.expireSleepOrWake(t.Context(), later); err != nil {
		t.Fatal(err)
	}
	if w.Awake() {
		t.Fatal("it is awake after the time that a world stays open")
	}
	w.Clock().Advance(48 * time.Hour)
	if err := w.expireSleepOrWake(t.Context(), later.Add(48*time.Hour)); err != nil {
		t.Fatal(err)
	}
	if w.Awake() {
		t.Error("a sweep that is due woke it")
	}
}
