package runner

import (
	"context"
	"maps"
	"slices"
	"sync"

	"stoa.dev/stoa/internal/service/pipelines/build"
)

// slots are the places in which nodes of jobs run in this process. Which job gets one is decided by schedule, under
// the lock of the database, for all processes; slots carry that out and count what is held here.
type slots struct {
	// total is how many there are, perOwner how many of them one owner may hold.
	total, perOwner int

	mu      sync.Mutex
	used    int
	owners  map[int64]int
	jobs    map[int64]*holder
	waiting []*slotWaiter // in order of arrival
}

// holder is a job of this process.
type holder struct {
	owner, repo int64
	// held is how many slots it holds; reserved of them were given to it with its claim and are not taken by a node
	// yet.
	held, reserved int
	// written is how many its row says.
	written int
}

// slotWaiter is a further node of a job.
type slotWaiter struct {
	job   int64
	ready chan struct{} // closed once the slot is given
}

func newSlots(total, perOwner int) *slots {
	return &slots{total: total, perOwner: perOwner, owners: map[int64]int{}, jobs: map[int64]*holder{}}
}

// slotsView is what a schedule needs to know of a process.
type slotsView struct {
	free, perOwner int
	// owners is how many slots each holds here.
	owners map[int64]int
	// nodes wait for a further slot, in order of arrival.
	nodes []demand
	// held is what the rows of jobs should say and do not.
	held map[int64]int
}

func (s *slots) view() slotsView {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := slotsView{free: s.total - s.used, perOwner: s.perOwner, owners: maps.Clone(s.owners), held: map[int64]int{}}
	for id, o := range s.jobs {
		if o.held != o.written {
			v.held[id] = o.held
		}
	}
	for _, w := range s.waiting {
		o := s.jobs[w.job]
		v.nodes = append(v.nodes, demand{owner: o.owner, repo: o.repo, id: w.job, node: true})
	}
	return v
}

// waits is how many nodes wait for a slot.
func (s *slots) waits() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return int64(len(s.waiting))
}

// wrote notes what the rows of jobs say now.
func (s *slots) wrote(held map[int64]int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, n := range held {
		if o := s.jobs[id]; o != nil {
			o.written = n
		}
	}
}

// rewrite makes the next round write the rows of jobs whose change may or may not have happened.
func (s *slots) rewrite(jobs []int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range jobs {
		if o := s.jobs[id]; o != nil {
			o.written = -1
		}
	}
}

// admit gives a claimed job the slot of its first node.
func (s *slots) admit(b *build.Build) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.jobs[b.ID] = &holder{owner: b.OwnerID, repo: b.RepoID, reserved: 1, written: 1}
	s.add(s.jobs[b.ID], 1)
}

// grant gives a job's longest waiting node a slot. If none waits any more the row says too many, until the next
// round writes it.
func (s *slots) grant(job int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.jobs[job]
	if o == nil {
		return
	}
	o.written++
	i := slices.IndexFunc(s.waiting, func(w *slotWaiter) bool { return w.job == job })
	if i < 0 {
		return
	}
	w := s.waiting[i]
	s.waiting = slices.Delete(s.waiting, i, i+1)
	s.add(o, 1)
	close(w.ready)
}

// acquire waits for a slot for a node of a job; wake is called when it has to.
func (s *slots) acquire(ctx context.Context, job int64, wake func()) error {
	s.mu.Lock()
	o := s.jobs[job]
	if o.reserved > 0 {
		o.reserved--
		s.mu.Unlock()
		return nil
	}
	w := &slotWaiter{job: job, ready: make(chan struct{})}
	s.waiting = append(s.waiting, w)
	s.mu.Unlock()
	wake()
	select {
	case <-w.ready:
		return nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(s.waiting, w); i >= 0 {
		s.waiting = slices.Delete(s.waiting, i, i+1)
		return context.Cause(ctx)
	}
	return nil // given meanwhile; the node sees the context itself
}

// release gives back the slot of one node.
func (s *slots) release(job int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if o := s.jobs[job]; o != nil {
		s.add(o, -1)
	}
}

// forget gives back all that a job still holds.
func (s *slots) forget(job int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if o := s.jobs[job]; o != nil {
		s.add(o, -o.held)
		delete(s.jobs, job)
	}
}

func (s *slots) add(o *holder, n int) {
	o.held, s.used = o.held+n, s.used+n
	if s.owners[o.owner] += n; s.owners[o.owner] == 0 {
		delete(s.owners, o.owner)
	}
}
