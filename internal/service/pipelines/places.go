package pipelines

import (
	"context"
	"slices"
	"sync"
)

// places are those in which nodes of jobs run in this process. Who gets one is
// decided by turns, under the lock of the database, for all processes; places
// carry that out and count what is held here.
type places struct {
	// total is how many there are, perOwner how many of them one owner may hold.
	total, perOwner int

	mu      sync.Mutex
	used    int
	owners  map[int64]int
	jobs    map[int64]*occupant
	waiting []*placeWaiter // in order of arrival
}

// occupant is a job of this process.
type occupant struct {
	owner, repo int64
	// held is how many places it holds; reserved of them were given to it with
	// its claim and are not taken by a node yet.
	held, reserved int
	// written is how many the row of the job tells.
	written int
}

// placeWaiter is a further node of a job.
type placeWaiter struct {
	job   int64
	ready chan struct{} // closed once the place is given
}

func newPlaces(total, perOwner int) *places {
	return &places{total: total, perOwner: perOwner, owners: map[int64]int{}, jobs: map[int64]*occupant{}}
}

// placesView is what turns need to know of a process.
type placesView struct {
	free, perOwner int
	// owners is how many places each holds here.
	owners map[int64]int
	// nodes wait for a further place, in order of arrival.
	nodes []demand
	// held is what the rows of jobs should tell and do not.
	held map[int64]int
}

func (p *places) view() placesView {
	p.mu.Lock()
	defer p.mu.Unlock()
	v := placesView{free: p.total - p.used, perOwner: p.perOwner, owners: make(map[int64]int, len(p.owners)), held: map[int64]int{}}
	for owner, n := range p.owners {
		v.owners[owner] = n
	}
	for id, o := range p.jobs {
		if o.held != o.written {
			v.held[id] = o.held
		}
	}
	for _, w := range p.waiting {
		o := p.jobs[w.job]
		v.nodes = append(v.nodes, demand{owner: o.owner, repo: o.repo, id: w.job, node: true})
	}
	return v
}

// wrote notes what the rows of jobs tell now.
func (p *places) wrote(held map[int64]int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, n := range held {
		if o := p.jobs[id]; o != nil {
			o.written = n
		}
	}
}

// doubt makes the next turns write the rows of jobs whose change may or may not
// have happened.
func (p *places) doubt(jobs []int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, id := range jobs {
		if o := p.jobs[id]; o != nil {
			o.written = -1
		}
	}
}

// admit gives a claimed job the place of its first node.
func (p *places) admit(b *Build) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.jobs[b.ID] = &occupant{owner: b.OwnerID, repo: b.RepoID, reserved: 1, written: 1}
	p.add(p.jobs[b.ID], 1)
}

// grant gives a job's longest waiting node a place. If none waits any more the
// row tells too many, until the next turns write it.
func (p *places) grant(job int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	o := p.jobs[job]
	if o == nil {
		return
	}
	o.written++
	i := slices.IndexFunc(p.waiting, func(w *placeWaiter) bool { return w.job == job })
	if i < 0 {
		return
	}
	w := p.waiting[i]
	p.waiting = slices.Delete(p.waiting, i, i+1)
	p.add(o, 1)
	close(w.ready)
}

// enter waits for a place for a node of a job; wake is called when it has to.
func (p *places) enter(ctx context.Context, job int64, wake func()) error {
	p.mu.Lock()
	o := p.jobs[job]
	if o.reserved > 0 {
		o.reserved--
		p.mu.Unlock()
		return nil
	}
	w := &placeWaiter{job: job, ready: make(chan struct{})}
	p.waiting = append(p.waiting, w)
	p.mu.Unlock()
	wake()
	select {
	case <-w.ready:
		return nil
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.Index(p.waiting, w); i >= 0 {
		p.waiting = slices.Delete(p.waiting, i, i+1)
		return context.Cause(ctx)
	}
	return nil // given meanwhile; the node sees the context itself
}

// leave gives back the place of one node.
func (p *places) leave(job int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if o := p.jobs[job]; o != nil {
		p.add(o, -1)
	}
}

// forget gives back whatever a job still holds.
func (p *places) forget(job int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if o := p.jobs[job]; o != nil {
		p.add(o, -o.held)
		delete(p.jobs, job)
	}
}

func (p *places) add(o *occupant, n int) {
	o.held, p.used = o.held+n, p.used+n
	if p.owners[o.owner] += n; p.owners[o.owner] == 0 {
		delete(p.owners, o.owner)
	}
}
