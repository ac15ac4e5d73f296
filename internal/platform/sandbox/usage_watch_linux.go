package sandbox

import (
	"errors"

	"golang.org/x/sys/unix"

	"stoa.dev/stoa/internal/platform/sandbox/memorydiskuse"
	"stoa.dev/stoa/internal/platform/sandbox/tree"
)

// glance is how often, in milliseconds, the watch looks at memory; at the disk
// it looks every eighth time, and less often the longer a look takes.
const (
	glance      = 250
	diskEvery   = 8
	filesAPause = 100_000
)

// watch adds up what the processes of a run use together, which the limits of
// single processes do not bound. It waits in the kernel, by the machine's time:
// memory does not fill by the clock of a world.
func (b *confined) watch(first, pid int) {
	// A walk over many files must not delay the look at memory.
	b.following.Go(func() { b.watchDisk(first, pid) })
	defer b.ledger.Forget(b)
	for !dead(first, glance) {
		used := b.memory(pid)
		// The kernel holds a group to its limit, but not all groups together.
		if used > b.spec.Memory && b.group == nil || b.ledger.Note(b, used) && b.ledger.Note(b, b.exactMemory(pid)) {
			b.reportExceeded(Exit{OutOfMemory: true})
			return
		}
	}
}

// memory is what the run uses now.
func (b *confined) memory(pid int) int64 {
	if b.group != nil {
		return b.group.Memory()
	}
	return memorydiskuse.Memory(pid, b.spec.Memory)
}

// exactMemory is memory with every page told apart, before a run ends for it.
func (b *confined) exactMemory(pid int) int64 {
	if b.group != nil {
		return b.memory(pid)
	}
	return memorydiskuse.Memory(pid, 0)
}

func (b *confined) watchDisk(first, pid int) {
	pause := diskEvery
	for !dead(first, pause*glance) {
		use := &memorydiskuse.Disk{Enough: b.spec.Disk, Over: func() bool { return dead(first, 0) }}
		err := use.Add(b.spec.Dir, pid)
		switch {
		case errors.Is(err, memorydiskuse.ErrOver):
			return
		case errors.Is(err, memorydiskuse.ErrEnough), errors.Is(err, tree.ErrTooLarge), errors.Is(err, unix.EACCES),
			errors.Is(err, unix.EPERM):
			// What even its owner cannot read is as good as full.
			b.reportExceeded(Exit{OutOfDisk: true})
			return
		}
		// Anything else is the machine's trouble; we look again.
		pause = diskEvery + use.Seen/filesAPause
	}
}

// reportExceeded reports a limit that was passed. The first report counts.
func (b *confined) reportExceeded(why Exit) {
	select {
	case b.exceeded <- why:
	default:
	}
}

// dead waits up to some milliseconds for the end of a process.
func dead(pidfd, wait int) bool {
	poll := []unix.PollFd{{Fd: int32(pidfd), Events: unix.POLLIN}}
	n, err := unix.Poll(poll, wait)
	return n > 0 || (err != nil && !errors.Is(err, unix.EINTR))
}
