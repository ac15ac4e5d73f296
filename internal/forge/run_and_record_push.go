package forge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"stoa.dev/stoa/internal/platform/database"
)

// errRaced means that another process recorded refs meanwhile.
var errRaced = errors.New("forge: the recorded refs have changed")

// maxTries bounds how often a comparison starts over.
const maxTries = 5

// Receive lets change alter the refs of a repository, one push at a time for each
// owner, and records what it did as the actor's pushes. It returns when they are
// durable.
func (f *Forge) Receive(
	ctx context.Context, r Repository, actor Actor, change func(ctx context.Context) error,
) ([]Push, error) {
	turn, err := f.git.PushTurn(ctx, budgetOwner(r.Owner))
	if err != nil {
		return nil, err
	}
	defer turn.Release()
	unlock, err := f.locks.Lock(ctx, r.ID)
	if err != nil {
		return nil, err
	}
	defer unlock()
	pendingID, err := f.beginPush(ctx, r, actor)
	if err != nil {
		return nil, err
	}
	failed := change(ctx)
	// What git has done is done, whether or not the client is still there.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), f.config.Timeout)
	defer cancel()
	pushes, err := f.recordChanges(ctx, r.ID, actor, pendingID)
	return pushes, errors.Join(failed, err)
}

// beginPush says durably who is about to push.
func (f *Forge) beginPush(ctx context.Context, r Repository, actor Actor) (pendingID int64, err error) {
	err = f.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		// It may have been deleted while the push came, or waited.
		if _, err := repositoryByID(ctx, tx, r.ID); err != nil {
			return notFound(err)
		}
		var err error
		pendingID, err = insertPending(ctx, tx, pending{repositoryID: r.ID, actor: actor, startedAt: f.now()})
		return err
	})
	return pendingID, err
}

// recordChanges compares the refs with those on record and records the difference.
// pendingID is the row that ends with it, zero for none.
func (f *Forge) recordChanges(
	ctx context.Context, id int64, actor Actor, pendingID int64,
) (pushes []Push, err error) {
	for range maxTries {
		pushes, err = f.recordChangesOnce(ctx, id, actor, pendingID)
		if !errors.Is(err, errRaced) {
			return pushes, err
		}
	}
	return nil, fmt.Errorf("record the pushes of repository %d: %w", id, err)
}

func (f *Forge) recordChangesOnce(ctx context.Context, id int64, actor Actor, pendingID int64) ([]Push, error) {
	r, err := f.Repository(ctx, id)
	if err != nil {
		return nil, err
	}
	recorded, err := recordedRefs(ctx, f.world.DB, id)
	if err != nil {
		return nil, err
	}
	actual, err := f.Refs(ctx, r)
	if err != nil {
		return nil, err
	}
	now := f.now()
	pushes := diffRefs(recorded, actual)
	for i := range pushes {
		pushes[i].RepositoryID, pushes[i].Actor, pushes[i].At = id, actor, now
	}
	if err := f.describeAll(ctx, r, pushes, commitsOf(recorded)); err != nil {
		return nil, err
	}
	branch, err := f.repairHead(ctx, r, actual)
	if err != nil {
		return nil, err
	}
	recordedPushes := pushes
	err = f.world.DB.WriteKeyed(ctx, lane(id), func(ctx context.Context, tx *database.Tx) error {
		recordedPushes = slices.Clone(pushes)
		return f.record(ctx, tx, change{r.ID, branch, recorded, recordedPushes, pendingID})
	})
	return recordedPushes, err
}

// repairHead lets HEAD name a branch that exists: the first one pushed, when the
// one it named was never pushed.
func (f *Forge) repairHead(ctx context.Context, r Repository, actual []Ref) (branch string, err error) {
	first := ""
	for _, ref := range actual {
		short, ok := strings.CutPrefix(ref.Name, heads)
		if ok && short == r.DefaultBranch {
			return r.DefaultBranch, nil
		}
		if ok && (first == "" || short == "master") {
			first = short
		}
	}
	if first == "" {
		return r.DefaultBranch, nil
	}
	_, err = f.output(ctx, r, "", "symbolic-ref", "HEAD", heads+first)
	return first, err
}

// change is what a push did to a repository.
type change struct {
	repositoryID int64
	// branch is the default branch after it.
	branch string
	// expected are the refs that were on record before it.
	expected []Ref
	pushes   []Push
	// pendingID is the row that ends with it, zero for none.
	pendingID int64
}

// record writes refs, pushes and activities, unless the record has changed.
func (f *Forge) record(ctx context.Context, tx *database.Tx, c change) error {
	recorded, err := recordedRefs(ctx, tx, c.repositoryID)
	if err != nil {
		return err
	}
	if !slices.Equal(recorded, c.expected) {
		return errRaced
	}
	r, err := repositoryByID(ctx, tx, c.repositoryID)
	if err != nil {
		return notFound(err)
	}
	if len(c.pushes) > 0 {
		r.PushedAt, r.UpdatedAt, r.DefaultBranch = c.pushes[0].At, c.pushes[0].At, c.branch
		if err := updateRepository(ctx, tx, r); err != nil {
			return err
		}
	}
	for i := range c.pushes {
		if err := f.recordPush(ctx, tx, r, &c.pushes[i]); err != nil {
			return err
		}
	}
	if c.pendingID == 0 {
		return nil
	}
	return deletePending(ctx, tx, c.pendingID)
}

func (f *Forge) recordPush(ctx context.Context, tx *database.Tx, r Repository, p *Push) error {
	var err error
	if p.Deleted() {
		err = dropRef(ctx, tx, r.ID, p.Ref)
	} else {
		err = putRef(ctx, tx, r.ID, Ref{Name: p.Ref, SHA: p.After})
	}
	if err != nil {
		return err
	}
	if p.ID, err = insertPush(ctx, tx, *p); err != nil {
		return err
	}
	for _, kind := range p.kinds() {
		if err := f.notify(ctx, tx, Activity{Kind: kind, Repository: r, Actor: p.Actor, At: p.At, Push: p}); err != nil {
			return err
		}
	}
	return nil
}
