package budget

import "time"

const (
	mebibyte = 1 << 20

	// MaxMemory is the largest pool: what a burst of requests needs and no more,
	// so that a machine with much memory keeps it for the page cache.
	MaxMemory = 512 * mebibyte
	// MinMemory is the smallest that still admits the largest body.
	MinMemory = 64 * mebibyte
	// memoryPart is the part of the process's memory that requests share.
	memoryPart = 4
	memoryWait = 5 * time.Second
)

// MemoryOptions size the pool over bytes for a process that may use limit bytes
// in all; zero means unknown. An owner has an eighth for itself; one piece of work may
// take up to half, of which three eighths are common to all owners: an account and a
// network that take what they can leave three eighths to others.
func MemoryOptions(limit int64) Options {
	total := int64(MaxMemory)
	if limit > 0 {
		total = min(max(limit/memoryPart, MinMemory), MaxMemory)
	}
	return Options{
		Name: "memory", Total: total, PerOwner: total / 2, Anonymous: total / 2,
		Share: total / 8, Beyond: total / 8 * 3, Wait: memoryWait,
	}
}
