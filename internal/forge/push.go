package forge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

// errRaced means that somebody else recorded refs meanwhile.
var errRaced = errors.New("forge: the recorded refs have changed")

// distinctLook is how far back distinct commits are looked up one by one; the
// newest MaxCommits lie well within it.
const distinctLook = 1000

// maxTries bounds how often an observation starts over.
const maxTries = 5

// Receive lets change alter the refs of a repository, in its turn and one push
// at a time for each owner, and records what it did as the actor's pushes. It returns when they are durable.
func (f *Forge) Receive(ctx context.Context, r Repository, actor Actor, change func(ctx context.Context) error) ([]Push, error) {
	grant, err := f.git.places.pushes.Take(ctx, budgetOwner(r.Owner), 1)
	if err != nil {
		return nil, err
	}
	defer grant.Release()
	release, err := f.turns.take(ctx, r.ID)
	if err != nil {
		return nil, err
	}
	defer release()
	mark, err := f.begin(ctx, r, actor)
	if err != nil {
		return nil, err
	}
	failed := change(ctx)
	// What git has done is done, whether or not the client is still there.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), f.config.Timeout)
	defer cancel()
	pushes, err := f.observe(ctx, r.ID, actor, mark)
	return pushes, errors.Join(failed, err)
}

// begin says durably who is about to push.
func (f *Forge) begin(ctx context.Context, r Repository, actor Actor) (mark int64, err error) {
	err = f.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		// It may have been deleted while the push came, or waited.
		if _, err := repositoryByID(ctx, tx, r.ID); err != nil {
			return notFound(err)
		}
		var err error
		mark, err = insertPending(ctx, tx, pending{repositoryID: r.ID, actor: actor, startedAt: f.now()})
		return err
	})
	return mark, err
}

// observe compares the refs with those on record and records the difference.
// mark is the pending row that ends with it, zero for none.
func (f *Forge) observe(ctx context.Context, id int64, actor Actor, mark int64) (pushes []Push, err error) {
	for range maxTries {
		pushes, err = f.observeOnce(ctx, id, actor, mark)
		if !errors.Is(err, errRaced) {
			return pushes, err
		}
	}
	return nil, fmt.Errorf("observe repository %d: %w", id, err)
}

func (f *Forge) observeOnce(ctx context.Context, id int64, actor Actor, mark int64) ([]Push, error) {
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
	pushes := compare(recorded, actual)
	known := commitsOf(recorded)
	for i := range pushes {
		p := &pushes[i]
		p.RepositoryID, p.Actor, p.At = id, actor, now
		if err := f.describe(ctx, r, p, known); isRunError(err) {
			// Commits that git took and cannot show within its limits must not
			// keep the push, and all later ones, from being recorded.
			f.world.Telemetry.Log.Error("the commits of a push cannot be shown", "repository", r.ID, "error", err)
		} else if err != nil {
			return nil, err
		}
		known = append(known, p.After)
	}
	branch, err := f.settleHead(ctx, r, actual)
	if err != nil {
		return nil, err
	}
	recordedPushes := pushes
	err = f.world.DB.WriteKeyed(ctx, lane(id), func(ctx context.Context, tx *database.Tx) error {
		recordedPushes = slices.Clone(pushes)
		return f.record(ctx, tx, r.ID, branch, recorded, recordedPushes, mark)
	})
	return recordedPushes, err
}

// compare lists what has to happen to the recorded refs to become the actual.
// Both are sorted by name.
func compare(recorded, actual []Ref) []Push {
	before := make(map[string]string, len(recorded))
	for _, r := range recorded {
		before[r.Name] = r.SHA
	}
	var changed, gone []Push
	for _, r := range actual {
		old, ok := before[r.Name]
		delete(before, r.Name)
		switch {
		case !ok:
			changed = append(changed, Push{Ref: r.Name, Before: Zero, After: r.SHA})
		case old != r.SHA:
			changed = append(changed, Push{Ref: r.Name, Before: old, After: r.SHA})
		}
	}
	for _, r := range recorded {
		if old, ok := before[r.Name]; ok {
			gone = append(gone, Push{Ref: r.Name, Before: old, After: Zero})
		}
	}
	return append(changed, gone...)
}

func commitsOf(refs []Ref) []string {
	names := make([]string, 0, len(refs))
	for _, r := range refs {
		names = append(names, r.SHA)
	}
	return names
}

// describe fills in the commits of one changed branch. known are the objects
// that refs named before this push.
func (f *Forge) describe(ctx context.Context, r Repository, p *Push, known []string) error {
	if p.Deleted() || RefType(p.Ref) == "tag" {
		return nil
	}
	if p.Created() && slices.Contains(known, p.After) {
		return nil // a new name for what was there
	}
	fresh := append([]string{p.After}, exclude(known)...)
	walked := fresh // a new branch brings what no other ref had
	var err error
	if !p.Created() {
		walked = []string{p.After, "^" + p.Before}
		kept, err := f.reaches(ctx, r, p.Before, p.After)
		if err != nil {
			return err
		}
		p.Forced = !kept
	}
	if p.Size, err = f.count(ctx, r, walked); err != nil {
		return err
	}
	if p.DistinctSize = p.Size; !p.Created() {
		if p.DistinctSize, err = f.count(ctx, r, fresh); err != nil {
			return err
		}
	}
	if p.Size == 0 {
		return nil
	}
	distinct, err := f.names(ctx, r, fresh, distinctLook)
	if err != nil {
		return err
	}
	if p.Commits, err = f.log(ctx, r, walked, MaxCommits); err != nil {
		return err
	}
	slices.Reverse(p.Commits)
	for i := range p.Commits {
		p.Commits[i].Distinct = distinct[p.Commits[i].SHA]
	}
	return nil
}

func exclude(names []string) []string {
	out := make([]string, 0, len(names))
	for _, n := range names {
		if n != Zero {
			out = append(out, "^"+n)
		}
	}
	return out
}

// settleHead lets HEAD name a branch that exists: the first one pushed, when
// the one it named was never pushed.
func (f *Forge) settleHead(ctx context.Context, r Repository, actual []Ref) (branch string, err error) {
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
	_, err = f.run(ctx, r, "", "symbolic-ref", "HEAD", heads+first)
	return first, err
}

// record writes refs, pushes and activities, unless the record has changed.
func (f *Forge) record(ctx context.Context, tx *database.Tx, id int64, branch string, expected []Ref, pushes []Push, mark int64) error {
	recorded, err := recordedRefs(ctx, tx, id)
	if err != nil {
		return err
	}
	if !slices.Equal(recorded, expected) {
		return errRaced
	}
	r, err := repositoryByID(ctx, tx, id)
	if err != nil {
		return notFound(err)
	}
	if len(pushes) > 0 {
		r.PushedAt, r.UpdatedAt, r.DefaultBranch = pushes[0].At, pushes[0].At, branch
		if err := updateRepository(ctx, tx, r); err != nil {
			return err
		}
	}
	for i := range pushes {
		if err := f.recordPush(ctx, tx, r, &pushes[i]); err != nil {
			return err
		}
	}
	if mark == 0 {
		return nil
	}
	return deletePending(ctx, tx, mark)
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
		if err := f.tell(ctx, tx, Activity{Kind: kind, Repository: r, Actor: p.Actor, At: p.At, Push: p}); err != nil {
			return err
		}
	}
	return nil
}

// kinds are the activities that a changed ref gives rise to. A new branch is a
// push too when it brings commits; tags are only created and deleted.
func (p *Push) kinds() []ActivityKind {
	tag := RefType(p.Ref) == "tag"
	switch {
	case p.Deleted():
		return []ActivityKind{RefDeleted}
	case p.Created() && (tag || p.DistinctSize == 0):
		return []ActivityKind{RefCreated}
	case p.Created():
		return []ActivityKind{RefCreated, Pushed}
	case tag:
		// A moved tag is gone and there again.
		return []ActivityKind{RefDeleted, RefCreated}
	}
	return []ActivityKind{Pushed}
}

// Pushes lists the newest pushes of a repository, newest first.
func (f *Forge) Pushes(ctx context.Context, r Repository, most int) ([]Push, error) {
	return pushesOf(ctx, f.world.DB, r.ID, most)
}

// settleBatch bounds one look at the pending pushes.
const settleBatch = 1000

// settle observes pushes that nobody finished. all includes those that may
// still be under way elsewhere, which is none when this process is the only
// one; without it only pushes older than any push can be are looked at.
func (f *Forge) settle(ctx context.Context, all bool) error {
	before := f.now().Add(-2 * f.config.Timeout)
	if all {
		before = f.now().Add(time.Hour)
	}
	for {
		left, err := pendingBefore(ctx, f.world.DB, before, settleBatch)
		if err != nil || len(left) == 0 {
			return err
		}
		for _, p := range left {
			if err := f.settleOne(ctx, p); err != nil {
				return err
			}
		}
	}
}

func (f *Forge) settleOne(ctx context.Context, p pending) error {
	release, err := f.turns.take(ctx, p.repositoryID)
	if err != nil {
		return err
	}
	defer release()
	_, err = f.observe(ctx, p.repositoryID, p.actor, p.id)
	if errors.Is(err, ErrNotFound) {
		return nil // deleted meanwhile, and the row with it
	}
	if err == nil || ctx.Err() != nil {
		return err
	}
	// One repository that cannot be read must not keep the others from
	// starting; its row stays for the next look.
	f.world.Telemetry.Log.Error("a push is still unobserved", "repository", p.repositoryID, "error", err)
	return f.postpone(ctx, p)
}

// postpone lets the row of a push that cannot be observed wait its turn again.
func (f *Forge) postpone(ctx context.Context, p pending) error {
	return f.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		if err := deletePending(ctx, tx, p.id); err != nil {
			return err
		}
		p.startedAt = f.now().Add(2 * time.Hour)
		_, err := insertPending(ctx, tx, p)
		return err
	})
}
