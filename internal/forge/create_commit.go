package forge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// NewCommit is a commit made by the forge itself.
type NewCommit struct {
	Actor   Actor
	Email   string
	Message string
	// Branch is the short name; empty means the default branch.
	Branch string
	// Files replace those of the same path; the others stay.
	Files map[string]string
}

// CommitFiles adds a commit to a branch and records it as a push.
func (f *Forge) CommitFiles(ctx context.Context, r Repository, n NewCommit) ([]Push, error) {
	if n.Branch == "" {
		n.Branch = r.DefaultBranch
	}
	return f.Receive(ctx, r, n.Actor, func(ctx context.Context) error {
		parent, err := f.Resolve(ctx, r, heads+n.Branch)
		if err != nil && !errors.Is(err, ErrNotFound) {
			return err
		}
		_, err = f.output(ctx, r, f.fastImport(n, parent).String(), "fast-import", "--quiet", "--date-format=raw")
		return err
	})
}

// fastImport is the commit in the language of git fast-import.
func (f *Forge) fastImport(n NewCommit, parent string) *bytes.Buffer {
	var b bytes.Buffer
	clean := strings.NewReplacer("\n", " ", "<", "", ">", "", "\x00", "")
	fmt.Fprintf(&b, "commit %s%s\n", heads, n.Branch)
	fmt.Fprintf(&b, "committer %s <%s> %d +0000\n", clean.Replace(n.Actor.Name), clean.Replace(n.Email), f.now().Unix())
	fmt.Fprintf(&b, "data %d\n%s\n", len(n.Message), n.Message)
	if parent != "" {
		fmt.Fprintf(&b, "from %s\n", parent)
	}
	for _, name := range slices.Sorted(maps.Keys(n.Files)) {
		fmt.Fprintf(&b, "M 100644 inline %s\ndata %d\n%s\n", quotePath(name), len(n.Files[name]), n.Files[name])
	}
	return &b
}

// quotePath writes a path as fast-import reads it: a byte that could end it stands in octal, all others for themselves.
func quotePath(path string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(path) {
		if c := path[i]; c < ' ' || c == '"' || c == '\\' {
			fmt.Fprintf(&b, `\%03o`, c)
		} else {
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
