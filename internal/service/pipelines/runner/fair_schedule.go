package runner

import (
	"context"
	"errors"
	"maps"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/pipelines/build"
)

// schedule decides which demand gets the next slot. It is a plain value that knows no database, so that its promises
// can be tested on any course of events.
type schedule struct {
	limits Queue
	// perOwner bounds what an owner holds here, the others what runs anywhere.
	perOwner int
	here     map[int64]int
	owners   map[int64]int64
	projects map[int64]int64
	served   map[int64]int64
	last     int64
}

// next chooses among demands: the owner with the fewest running nodes, among equals the one who was served longest
// ago; of an owner first the nodes of jobs that run, then the oldest job. It is -1 when nothing may start here.
func (s *schedule) next(demands []demand) int {
	best := -1
	for i, d := range demands {
		if s.may(d) && (best < 0 || s.before(d, demands[best])) {
			best = i
		}
	}
	return best
}

func (s *schedule) may(d demand) bool {
	return s.here[d.owner] < s.perOwner && s.owners[d.owner] < int64(s.limits.OwnerRunning) &&
		s.projects[d.repo] < int64(s.limits.ProjectRunning)
}

func (s *schedule) before(a, b demand) bool {
	switch {
	case s.owners[a.owner] != s.owners[b.owner]:
		return s.owners[a.owner] < s.owners[b.owner]
	case s.served[a.owner] != s.served[b.owner]:
		return s.served[a.owner] < s.served[b.owner]
	case a.owner == b.owner && a.node != b.node:
		return a.node
	}
	return a.id < b.id
}

// take notes that a demand was given a slot.
func (s *schedule) take(d demand) {
	s.last++
	s.here[d.owner]++
	s.owners[d.owner]++
	s.projects[d.repo]++
	s.served[d.owner] = s.last
}

// readSchedule adds up what runs, once what this process holds is written.
func (q *queue) readSchedule(ctx context.Context, db database.Querier, v slotsView) (*schedule, []demand, error) {
	s := &schedule{
		limits: q.r.config.Queue, perOwner: v.perOwner, here: v.owners,
		owners: map[int64]int64{}, projects: map[int64]int64{}, served: map[int64]int64{},
	}
	demands, err := listQueued(ctx, db)
	if err != nil {
		return nil, nil, err
	}
	if demands = append(demands, v.nodes...); len(demands) == 0 {
		return s, demands, nil
	}
	shares, err := listShares(ctx, db)
	if err != nil {
		return nil, nil, err
	}
	for _, one := range shares {
		s.owners[one.owner] += one.slots
		s.projects[one.repo] += one.slots
	}
	for _, d := range demands {
		if _, known := s.served[d.owner]; known {
			continue
		}
		if s.served[d.owner], err = lastServed(ctx, db, d.owner); err != nil {
			return nil, nil, err
		}
	}
	s.last, err = lastServedOfAll(ctx, db)
	return s, demands, err
}

// assigned is what the free slots of a process were given to.
type assigned struct {
	jobs  []build.Build
	nodes []int64
}

// assign gives out the free slots of this process, under the lock that all processes share: what runs anywhere is
// known and no other process changes it.
func (q *queue) assign(ctx context.Context, v slotsView) (given assigned, err error) {
	err = q.r.world.DB.WriteKeyed(ctx, claimKey, func(ctx context.Context, tx *database.Tx) error {
		given = assigned{}
		for id, n := range v.held {
			if err := setSlots(ctx, tx, id, q.owner, n); err != nil {
				return err
			}
		}
		// The schedule counts in the map, and a transaction that is run again must not count twice.
		view := v
		view.owners = maps.Clone(v.owners)
		s, demands, err := q.readSchedule(ctx, tx, view)
		if err != nil {
			return err
		}
		for range v.free {
			i := s.next(demands)
			if i < 0 {
				return nil
			}
			d := demands[i]
			if d.node {
				demands = append(demands[:i:i], demands[i+1:]...)
				err = addSlot(ctx, tx, d.id, q.owner)
				given.nodes = append(given.nodes, d.id)
			} else {
				demands, err = q.claimNext(ctx, tx, demands, i, &given)
			}
			if err != nil {
				return err
			}
			s.take(d)
			if err := setServed(ctx, tx, d.owner, s.last); err != nil {
				return err
			}
		}
		return nil
	})
	return given, err
}

// claimNext claims the job of a demand and puts the next of the same owner and project in its stead.
func (q *queue) claimNext(
	ctx context.Context, tx *database.Tx, demands []demand, i int, given *assigned,
) ([]demand, error) {
	b, err := build.ByID(ctx, tx, demands[i].id)
	if err != nil {
		return demands, err
	}
	next, err := nextQueued(ctx, tx, demands[i])
	switch {
	case errors.Is(err, database.ErrNotFound):
		demands = append(demands[:i:i], demands[i+1:]...)
	case err != nil:
		return demands, err
	default:
		demands[i] = next
	}
	if b.State, err = b.State.Apply(build.Event{Kind: build.EventStart}); err != nil {
		if build.IsTransition(err) {
			return demands, nil // canceled meanwhile
		}
		return demands, err
	}
	b.StartTime = q.r.now()
	b.Lease.Owner, b.Lease.Until = q.owner, q.r.now().Add(q.r.config.Lease)
	if err := claimBuild(ctx, tx, &b); errors.Is(err, build.ErrLeaseLost) {
		return demands, nil // the same
	} else if err != nil {
		return demands, err
	}
	q.r.Announce(tx, &b)
	given.jobs = append(given.jobs, b)
	return demands, nil
}
