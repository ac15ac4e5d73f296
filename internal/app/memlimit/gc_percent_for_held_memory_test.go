package memlimit

import (
	"runtime"
	"runtime/debug"
	"testing"
)

func TestPercentBeside(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		held, inUse int64
		want        int
	}{
		{0, 40 << 20, 100},
		{leastHeld - 1, 40 << 20, 100},
		{60 << 20, 100 << 20, 40},
		{10 << 20, 100 << 20, 90},
		{90 << 20, 100 << 20, leastPercent},
		{200 << 20, 100 << 20, leastPercent}, // more than the last collection saw
		{60 << 20, 0, 100},                   // there was none yet
	} {
		if got := percentBeside(row.held, row.inUse); got != row.want {
			t.Errorf("%d of %d held: %d percent, want %d", row.held, row.inUse, got, row.want)
		}
	}
}

// TestHeld changes what concerns the whole process, so nothing runs beside it.
func TestHeld(t *testing.T) {
	percent := func() int {
		now := debug.SetGCPercent(defaultPercent)
		debug.SetGCPercent(now)
		return now
	}
	defer debug.SetGCPercent(debug.SetGCPercent(defaultPercent))
	keep := make([]byte, 64<<20)
	runtime.GC()
	var h Held
	h.Note(32 << 20)
	if got := percent(); got < 40 || got > 60 {
		t.Errorf("with half of the memory held: %d percent, want about 50", got)
	}
	h.Note(0)
	if got := percent(); got != defaultPercent {
		t.Errorf("with nothing held: %d percent, want %d", got, defaultPercent)
	}
	debug.SetGCPercent(300)
	h.Note(60 << 20)
	if got := percent(); got != 300 {
		t.Errorf("an operator's 300 percent became %d", got)
	}
	runtime.KeepAlive(keep)
}
