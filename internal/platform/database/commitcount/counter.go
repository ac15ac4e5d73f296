package commitcount

import "sync/atomic"

// Counter counts commits. Its zero value is ready.
type Counter struct {
	// n grows before and after each commit: while it is odd, one is under way and
	// readers may see either.
	n atomic.Uint64
}

// Count runs a commit and counts it, whatever became of it.
func (c *Counter) Count(commit func() error) error {
	c.n.Add(1)
	defer c.n.Add(1)
	return commit()
}

// Revision is the number of commits so far, in a form of its own. It is not known
// while a commit is under way.
func (c *Counter) Revision() (n uint64, known bool) {
	n = c.n.Load()
	return n, n%2 == 0
}
