package forge

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"stoa.dev/stoa/internal/forge/contents"
	"stoa.dev/stoa/internal/forge/git"
	"stoa.dev/stoa/internal/forge/refusal"
)

// MergeRequest asks for a merge into a branch.
type MergeRequest struct {
	// Branch is the short name of the branch that takes the commits.
	Branch string
	// Head is the object name of the commit that is merged.
	Head string
	// Squash makes one commit of all, which does not name Head.
	Squash  bool
	Message string
	Actor   Actor
	Email   string
}

// Merge adds a commit to a branch that joins another one, and records it as a push of
// the actor. A branch that has the commit already stays as it is. ErrForbidden when the
// two do not merge without a decision.
func (f *Forge) Merge(ctx context.Context, r Repository, m MergeRequest) (sha string, err error) {
	_, err = f.Receive(ctx, r, m.Actor, func(ctx context.Context) error {
		base, err := f.Resolve(ctx, r, heads+m.Branch)
		if err != nil {
			return err
		}
		if merged, err := f.Reaches(ctx, r, m.Head, base); err != nil || merged {
			return err
		}
		tree, err := f.mergedTree(ctx, r, base, m.Head)
		if err != nil {
			return err
		}
		_, err = f.output(ctx, r, f.mergeImport(m, base, tree).String(), "fast-import", "--quiet", "--date-format=raw")
		return err
	})
	if err != nil {
		return "", err
	}
	return f.Resolve(ctx, r, heads+m.Branch)
}

// Mergeable reports whether two commits merge without a decision.
func (f *Forge) Mergeable(ctx context.Context, r Repository, base, head string) (bool, error) {
	_, err := f.mergedTree(ctx, r, base, head)
	if git.IsRunError(err) {
		return false, nil
	}
	return err == nil, err
}

// mergedTree is the folder that two commits make together. git ends badly when they
// have changed the same lines.
func (f *Forge) mergedTree(ctx context.Context, r Repository, base, head string) (string, error) {
	if !contents.IsObjectName(base) || !contents.IsObjectName(head) {
		return "", refusal.NotFound("commit", head)
	}
	out, err := f.output(ctx, r, "", "merge-tree", "--write-tree", "--no-messages", base, head)
	if git.IsRunError(err) {
		return "", &Error{Code: CodeForbidden, Message: "the branches change the same lines", Cause: err}
	}
	tree, _, _ := strings.Cut(string(out), "\n")
	return tree, err
}

// mergeImport is the merge in the language of git fast-import, which takes the time
// from us and refuses a branch that has moved on.
func (f *Forge) mergeImport(m MergeRequest, base, tree string) *bytes.Buffer {
	var b bytes.Buffer
	clean := strings.NewReplacer("\n", " ", "<", "", ">", "", "\x00", "")
	fmt.Fprintf(&b, "commit %s%s\n", heads, m.Branch)
	fmt.Fprintf(&b, "committer %s <%s> %d +0000\n", clean.Replace(m.Actor.Name), clean.Replace(m.Email), f.now().Unix())
	fmt.Fprintf(&b, "data %d\n%s\nfrom %s\n", len(m.Message), m.Message, base)
	if !m.Squash {
		fmt.Fprintf(&b, "merge %s\n", m.Head)
	}
	fmt.Fprintf(&b, "M 040000 %s \n", tree)
	return &b
}
