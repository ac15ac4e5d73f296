package memorydiskuse

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// TestSharedMemory counts memory that a process shares with its children.
func TestSharedMemory(t *testing.T) {
	t.Parallel()
	before := portion(os.Getpid())
	m, err := unix.Mmap(-1, 0, 128<<20, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_ANON|unix.MAP_POPULATE)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Munmap(m) }()
	if got := portion(os.Getpid()) - before; got < 96<<20 {
		t.Errorf("128 MiB of shared memory count %d", got)
	}
	if n, ok := kilobytes("/proc/self/status", "RssAnon:", "RssShmem:"); !ok || n < 128<<20 {
		t.Errorf("the kernel that does not divide says %d, %v", n, ok)
	}
	if _, ok := kilobytes("/proc/self/status", "NoSuch:"); ok {
		t.Error("a line that is not there was found")
	}
}
