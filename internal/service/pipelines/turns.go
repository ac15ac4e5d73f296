package pipelines

import (
	"context"
	"errors"
	"strconv"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/database"
)

// ownerOf is whose share of the workers a job takes: the account that asked for
// it, or where a token asked the owner of the repository. Accounts are what an
// operator hands out; repositories and tokens anybody makes as many as they like.
func ownerOf(actor forge.Actor, r forge.Repository) int64 {
	switch {
	case actor.ID != 0:
		return actor.ID
	case r.Owner.Kind == forge.OwnerUser:
		return r.Owner.ID
	}
	return -r.Owner.ID
}

// ownerKey is an owner in the words of the queue of the platform.
func ownerKey(owner int64) string { return "pipelines/" + strconv.FormatInt(owner, 10) }

// turns decides who gets the next place. It is a plain value that knows no
// database, so that its promises can be tried on any course of events.
type turns struct {
	limits Queue
	// perOwner bounds what an owner holds here, the others what runs anywhere.
	perOwner int
	here     map[int64]int
	owners   map[int64]int64
	projects map[int64]int64
	served   map[int64]int64
	last     int64
}

// next chooses among demands: the owner with the fewest running nodes, among
// equals the one whose last turn is longest ago; of an owner first the nodes of
// jobs that run, then the oldest job. It is -1 when nothing may start here.
func (t *turns) next(demands []demand) int {
	best := -1
	for i, d := range demands {
		if t.may(d) && (best < 0 || t.before(d, demands[best])) {
			best = i
		}
	}
	return best
}

func (t *turns) may(d demand) bool {
	return t.here[d.owner] < t.perOwner && t.owners[d.owner] < int64(t.limits.OwnerRunning) &&
		t.projects[d.repo] < int64(t.limits.ProjectRunning)
}

func (t *turns) before(a, b demand) bool {
	switch {
	case t.owners[a.owner] != t.owners[b.owner]:
		return t.owners[a.owner] < t.owners[b.owner]
	case t.served[a.owner] != t.served[b.owner]:
		return t.served[a.owner] < t.served[b.owner]
	case a.owner == b.owner && a.node != b.node:
		return a.node
	}
	return a.id < b.id
}

// take notes that a demand was given a place.
func (t *turns) take(d demand) {
	t.last++
	t.here[d.owner]++
	t.owners[d.owner]++
	t.projects[d.repo]++
	t.served[d.owner] = t.last
}

// readTurns adds up what runs, once what this process holds is written.
func (q *queue) readTurns(ctx context.Context, db database.Querier, v placesView) (*turns, []demand, error) {
	t := &turns{
		limits: q.s.config.Queue, perOwner: v.perOwner, here: v.owners,
		owners: map[int64]int64{}, projects: map[int64]int64{}, served: map[int64]int64{},
	}
	demands, err := queuedDemands(ctx, db)
	if err != nil {
		return nil, nil, err
	}
	if demands = append(demands, v.nodes...); len(demands) == 0 {
		return t, demands, nil
	}
	shares, err := runningShares(ctx, db)
	if err != nil {
		return nil, nil, err
	}
	for _, s := range shares {
		t.owners[s.owner] += s.places
		t.projects[s.repo] += s.places
	}
	for _, d := range demands {
		if _, known := t.served[d.owner]; known {
			continue
		}
		if t.served[d.owner], err = servedAt(ctx, db, d.owner); err != nil {
			return nil, nil, err
		}
	}
	t.last, err = lastServed(ctx, db)
	return t, demands, err
}

// assigned is what the free places of a process were given to.
type assigned struct {
	jobs  []Build
	nodes []int64
}

// assign gives out the free places of this process, under the lock that all
// processes share: what runs anywhere is known and changes for nobody else.
func (q *queue) assign(ctx context.Context, v placesView) (given assigned, err error) {
	err = q.s.world.DB.WriteKeyed(ctx, claimKey, func(ctx context.Context, tx *database.Tx) error {
		given = assigned{}
		for id, n := range v.held {
			if err := setPlaces(ctx, tx, id, q.owner, n); err != nil {
				return err
			}
		}
		t, demands, err := q.readTurns(ctx, tx, clonedView(v))
		if err != nil {
			return err
		}
		for range v.free {
			i := t.next(demands)
			if i < 0 {
				return nil
			}
			d := demands[i]
			if d.node {
				demands = append(demands[:i:i], demands[i+1:]...)
				err = addPlace(ctx, tx, d.id, q.owner)
				given.nodes = append(given.nodes, d.id)
			} else {
				demands, err = q.claimNext(ctx, tx, demands, i, &given)
			}
			if err != nil {
				return err
			}
			t.take(d)
			if err := setServed(ctx, tx, d.owner, t.last); err != nil {
				return err
			}
		}
		return nil
	})
	return given, err
}

// clonedView keeps a transaction that is run again from counting twice.
func clonedView(v placesView) placesView {
	owners := make(map[int64]int, len(v.owners))
	for owner, n := range v.owners {
		owners[owner] = n
	}
	v.owners = owners
	return v
}

// claimNext claims the job of a demand and puts the next of the same owner and
// project in its stead.
func (q *queue) claimNext(ctx context.Context, tx *database.Tx, demands []demand, i int, given *assigned) ([]demand, error) {
	b, err := buildByID(ctx, tx, demands[i].id)
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
	if b.State, err = b.State.Apply(Event{Kind: EventStart}); err != nil {
		if isTransition(err) {
			return demands, nil // canceled meanwhile
		}
		return demands, err
	}
	b.StartTime = q.s.now()
	b.lease.owner, b.lease.until = q.owner, q.s.now().Add(q.s.config.Lease)
	if err := claimBuild(ctx, tx, &b); errors.Is(err, errLeaseLost) {
		return demands, nil // the same
	} else if err != nil {
		return demands, err
	}
	q.s.announce(tx, &b)
	given.jobs = append(given.jobs, b)
	return demands, nil
}
