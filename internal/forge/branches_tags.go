package forge

import (
	"context"
	"strings"

	"stoa.dev/stoa/internal/forge/git"
	"stoa.dev/stoa/internal/forge/gitoutput"
)

// NamedRef is a branch or tag and what it names.
type NamedRef struct {
	Ref
	// Type is commit, or tag where the ref names an annotated tag.
	Type string
	// Commit is the commit in the end, the same as SHA unless Type is tag.
	Commit string
}

// NamedRefs lists the refs below a prefix in full: refs/heads/, refs/tags/, or
// refs/heads/feature. Tags are listed with the highest version first.
func (f *Forge) NamedRefs(ctx context.Context, r Repository, prefix string) ([]NamedRef, error) {
	args := []string{"for-each-ref", "--format=%(objecttype) %(objectname) %(*objectname) %(refname)"}
	if prefix == tags {
		args = append(args, "--sort=-version:refname")
	}
	out, err := f.output(ctx, r, "", append(args, heads, tags)...)
	if err != nil {
		return nil, err
	}
	list := []NamedRef{}
	for line := range strings.Lines(string(out)) {
		parts := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 4)
		if len(parts) < 4 || !git.ValidRefName(parts[3]) || !strings.HasPrefix(parts[3], prefix) {
			continue
		}
		n := NamedRef{Ref: Ref{Name: parts[3], SHA: parts[1]}, Type: parts[0], Commit: parts[2]}
		if n.Commit == "" {
			n.Commit = n.SHA
		}
		list = append(list, n)
	}
	return list, nil
}

// Branches lists the branches by name.
func (f *Forge) Branches(ctx context.Context, r Repository) ([]NamedRef, error) {
	return f.NamedRefs(ctx, r, heads)
}

// Tags lists the tags, the highest version first.
func (f *Forge) Tags(ctx context.Context, r Repository) ([]NamedRef, error) {
	return f.NamedRefs(ctx, r, tags)
}

// NamedRef finds a ref by its name in full.
func (f *Forge) NamedRef(ctx context.Context, r Repository, name string) (NamedRef, error) {
	list, err := f.NamedRefs(ctx, r, name)
	if err != nil {
		return NamedRef{}, err
	}
	for _, ref := range list {
		if ref.Name == name {
			return ref, nil
		}
	}
	return NamedRef{}, errNotFound(RefType(name), ShortRef(name))
}

// TagObject is an annotated tag.
type TagObject struct {
	SHA, Name, Message string
	Tagger             Signature
	// Target is what it names, of the type TargetType.
	Target, TargetType string
}

// Tag reads an annotated tag by its object name.
func (f *Forge) Tag(ctx context.Context, r Repository, sha string) (TagObject, error) {
	if !isObjectName(sha) {
		return TagObject{}, errNotFound("tag", sha)
	}
	out, _, err := f.git.Beginning(ctx, r.git(), gitoutput.MaxRecord, "cat-file", "tag", sha)
	if git.IsRunError(err) {
		return TagObject{}, errNotFound("tag", sha)
	}
	if err != nil {
		return TagObject{}, fromGit(err)
	}
	head, message, _ := strings.Cut(strings.ToValidUTF8(string(out), "\uFFFD"), "\n\n")
	t := TagObject{SHA: sha, Message: strings.TrimRight(message, "\n")}
	for line := range strings.Lines(head) {
		word, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch word {
		case "object":
			t.Target = value
		case "type":
			t.TargetType = value
		case "tag":
			t.Name = value
		case "tagger":
			t.Tagger = parseSignature(value)
		}
	}
	return t, nil
}

// parseSignature reads "NAME <EMAIL> SECONDS ZONE".
func parseSignature(text string) Signature {
	name, rest, _ := strings.Cut(text, " <")
	email, at, _ := strings.Cut(rest, "> ")
	seconds, _, _ := strings.Cut(at, " ")
	return Signature{Name: name, Email: email, At: gitoutput.Time(seconds)}
}

// CreateRef gives a commit a new branch or tag, named in full, and records it as a push
// of the actor. ErrInvalid when the name is bad or there is such a ref.
func (f *Forge) CreateRef(ctx context.Context, r Repository, name, revision string, actor Actor) error {
	branchOrTag := strings.HasPrefix(name, heads) || strings.HasPrefix(name, tags)
	if !branchOrTag || !git.ValidRefName(name) || checkRevision(name) != nil {
		return errField("ref", "%q is no name for a branch or tag", ShortRef(name))
	}
	have, err := countRefs(ctx, f.world.DB, r.ID)
	if err != nil {
		return err
	}
	if limit := int64(refsTimes * f.config.MaxRefs); have >= limit {
		return errTooLarge("a repository may have at most %d branches and tags", limit)
	}
	_, err = f.Receive(ctx, r, actor, func(ctx context.Context) error {
		sha, err := f.Resolve(ctx, r, revision)
		if err != nil {
			return err
		}
		_, err = f.output(ctx, r, "", "update-ref", name, sha, Zero)
		if git.IsRunError(err) {
			return &Error{Code: CodeInvalid, Field: "ref", Message: "the branch or tag cannot be made", cause: err}
		}
		return err
	})
	return err
}

// DeleteRef takes away a branch or tag, named in full, as a push of the actor. The default branch stays.
func (f *Forge) DeleteRef(ctx context.Context, r Repository, name string, actor Actor) error {
	if name == heads+r.DefaultBranch {
		return errField("ref", "the default branch cannot be deleted")
	}
	if _, err := f.Head(ctx, r, name); err != nil {
		return err
	}
	_, err := f.Receive(ctx, r, actor, func(ctx context.Context) error {
		_, err := f.output(ctx, r, "", "update-ref", "-d", name)
		return err
	})
	return err
}
