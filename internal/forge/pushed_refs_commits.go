package forge

import (
	"context"
	"slices"

	"stoa.dev/stoa/internal/forge/git"
)

// distinctDepth is how far back distinct commits are looked up one by one; the
// newest MaxCommits lie well within it.
const distinctDepth = 1000

// diffRefs lists what has to happen to the recorded refs to become the actual.
// Both are sorted by name.
func diffRefs(recorded, actual []Ref) []Push {
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

// What is found out about the branches that change at once. Each takes several programs, which walk the longer the more
// other branches there are, and the rows of all are written together.
const (
	maxDescribed = 200
	// maxPushText bounds the commits that are kept, in bytes.
	maxPushText = 8 << 20
)

// describeAll fills in the commits of the changed branches, as far as the bounds let it: the others have none, but for
// the default branch. known are
// the objects that refs named before.
func (f *Forge) describeAll(ctx context.Context, r Repository, pushes []Push, known []string) error {
	branches, text := 0, 0
	for i := range pushes {
		p := &pushes[i]
		if RefType(p.Ref) == "tag" || p.Deleted() {
			known = append(known, p.After)
			continue
		}
		if branches++; branches > maxDescribed && p.Ref != r.DefaultRef() {
			continue
		}
		if err := f.describe(ctx, r, p, known); git.IsRunError(err) {
			// Commits that git took and cannot show within its limits must not
			// keep the push, and all later ones, from being recorded.
			f.world.Telemetry.Log.Error("commits of a push not shown", "repository", r.ID, "error", err)
		} else if err != nil {
			return err
		}
		known = append(known, p.After)
		if text += textOf(p.Commits); text > maxPushText {
			text, p.Commits = text-textOf(p.Commits), nil
		}
	}
	return nil
}

// textOf is how many bytes of commits are kept.
func textOf(commits []Commit) (bytes int) {
	for _, c := range commits {
		bytes += len(c.Message) + len(c.Author.Name) + len(c.Author.Email) + len(c.Committer.Name) + len(c.Committer.Email)
	}
	return bytes
}

// describe fills in the commits of one changed branch. known are the objects
// that refs named before this push.
func (f *Forge) describe(ctx context.Context, r Repository, p *Push, known []string) error {
	if p.Created() && slices.Contains(known, p.After) {
		return nil // a new name for what was there
	}
	fresh := append([]string{p.After}, exclude(known)...)
	walked := fresh // a new branch brings what no other ref had
	var err error
	if !p.Created() {
		walked = []string{p.After, "^" + p.Before}
		kept, err := f.Reaches(ctx, r, p.Before, p.After)
		if err != nil {
			return err
		}
		p.Forced = !kept
	}
	if p.Size, err = f.CountCommits(ctx, r, walked); err != nil {
		return err
	}
	if p.DistinctSize = p.Size; !p.Created() {
		if p.DistinctSize, err = f.CountCommits(ctx, r, fresh); err != nil {
			return err
		}
	}
	if p.Size == 0 {
		return nil
	}
	distinct, err := f.CommitNames(ctx, r, fresh, distinctDepth)
	if err != nil {
		return err
	}
	if p.Commits, err = f.Commits(ctx, r, walked, MaxCommits); err != nil {
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
