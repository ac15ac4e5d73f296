package contents

import (
	"context"
	"strings"

	"stoa.dev/stoa/internal/forge/git"
	"stoa.dev/stoa/internal/forge/gitoutput"
	"stoa.dev/stoa/internal/forge/refusal"
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
func (rd *Reader) NamedRefs(ctx context.Context, r Repository, prefix string) ([]NamedRef, error) {
	args := []string{"for-each-ref", "--format=%(objecttype) %(objectname) %(*objectname) %(refname)"}
	if prefix == Tags {
		args = append(args, "--sort=-version:refname")
	}
	out, err := rd.output(ctx, r, "", append(args, Heads, Tags)...)
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
func (rd *Reader) Branches(ctx context.Context, r Repository) ([]NamedRef, error) {
	return rd.NamedRefs(ctx, r, Heads)
}

// Tags lists the tags, the highest version first.
func (rd *Reader) Tags(ctx context.Context, r Repository) ([]NamedRef, error) {
	return rd.NamedRefs(ctx, r, Tags)
}

// NamedRef finds a ref by its name in full.
func (rd *Reader) NamedRef(ctx context.Context, r Repository, name string) (NamedRef, error) {
	list, err := rd.NamedRefs(ctx, r, name)
	if err != nil {
		return NamedRef{}, err
	}
	for _, ref := range list {
		if ref.Name == name {
			return ref, nil
		}
	}
	return NamedRef{}, refusal.NotFound(RefType(name), ShortRef(name))
}

// TagObject is an annotated tag.
type TagObject struct {
	SHA, Name, Message string
	Tagger             Signature
	// Target is what it names, of the type TargetType.
	Target, TargetType string
}

// Tag reads an annotated tag by its object name.
func (rd *Reader) Tag(ctx context.Context, r Repository, sha string) (TagObject, error) {
	if !IsObjectName(sha) {
		return TagObject{}, refusal.NotFound("tag", sha)
	}
	out, _, err := rd.git.Beginning(ctx, r.Git(), gitoutput.MaxRecord, "cat-file", "tag", sha)
	if git.IsRunError(err) {
		return TagObject{}, refusal.NotFound("tag", sha)
	}
	if err != nil {
		return TagObject{}, refusal.FromGit(err)
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

// Refs lists the branches and tags by name, as far as their names can be on record.
func (rd *Reader) Refs(ctx context.Context, r Repository) ([]Ref, error) {
	out, err := rd.output(ctx, r, "", "for-each-ref", "--format=%(objectname) %(refname)", Heads, Tags)
	if err != nil {
		return nil, err
	}
	refs := []Ref{}
	for line := range strings.Lines(string(out)) {
		if sha, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " "); ok && git.ValidRefName(name) {
			refs = append(refs, Ref{Name: name, SHA: sha})
		}
	}
	return refs, nil
}
