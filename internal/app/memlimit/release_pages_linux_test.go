package memlimit

import (
	"slices"
	"testing"
)

// What a loader has written to cannot be read from the file again.
func TestUnwrittenPages(t *testing.T) {
	t.Parallel()
	const text = `00400000-00600000 r-xp 00000000 fe:00 10 /bin/stoa
Rss:                 100 kB
Anonymous:             0 kB
Swap:                  0 kB
VmFlags: rd ex mr mw me
00600000-00900000 r--p 00200000 fe:00 10 /bin/stoa
Rss:                 100 kB
Anonymous:             0 kB
Swap:                  0 kB
00900000-00a00000 r--p 00500000 fe:00 10 /bin/stoa
Anonymous:             4 kB
Swap:                  0 kB
00a00000-00b00000 r--p 00600000 fe:00 10 /bin/stoa
Anonymous:             0 kB
Swap:                  8 kB
00b00000-00c00000 rw-p 00700000 fe:00 10 /bin/stoa
Anonymous:             0 kB
Swap:                  0 kB
00c00000-00d00000 r--s 00800000 fe:00 10 /bin/stoa
Anonymous:             0 kB
Swap:                  0 kB
00d00000-00e00000 r--p 00900000 fe:00 10 /bin/stoa
Anonymous:             0 kB
00e00000-00f00000 r-xp 00000000 fe:00 11 /lib/other
Anonymous:             0 kB
Swap:                  0 kB
`
	want := []pages{{0x400000, 0x600000, true}, {0x600000, 0x900000, false}}
	if got := unwrittenPages(text, "/bin/stoa"); !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestRelease lets the pages go while the process uses them.
func TestRelease(t *testing.T) {
	t.Parallel()
	for range 3 {
		Release()
	}
}
