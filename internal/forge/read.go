package forge

import (
	"bytes"
	"context"
	"errors"
	"path"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"stoa.dev/stoa/internal/platform/database"
)

// commitForm lists the parts of a commit, the message last because it alone
// may hold the separator.
const commitForm = "%H%x1f%T%x1f%P%x1f%an%x1f%ae%x1f%at%x1f%cn%x1f%ce%x1f%ct%x1f%B"

const commitParts = 10

// maxRefName is the longest name of a ref in bytes.
const maxRefName = 255

// recordable reports whether a ref can be on record: git itself takes names that
// are no text, or longer than a row can hold.
func recordable(name string) bool { return len(name) <= maxRefName && utf8.ValidString(name) }

// Refs lists the branches and tags by name, as far as they are recordable.
func (f *Forge) Refs(ctx context.Context, r Repository) ([]Ref, error) {
	out, err := f.run(ctx, r, "", "for-each-ref", "--format=%(objectname) %(refname)", heads, tags)
	if err != nil {
		return nil, err
	}
	refs := []Ref{}
	for line := range strings.Lines(string(out)) {
		if sha, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " "); ok && recordable(name) {
			refs = append(refs, Ref{Name: name, SHA: sha})
		}
	}
	return refs, nil
}

// Resolve finds the commit that a revision names: a branch, a tag, a commit's
// full or short name. ErrNotFound when there is none.
func (f *Forge) Resolve(ctx context.Context, r Repository, revision string) (string, error) {
	if err := checkRevision(revision); err != nil {
		return "", err
	}
	out, err := f.run(ctx, r, "", "rev-parse", "--verify", "--quiet", "--end-of-options", revision+"^{commit}")
	if isRunError(err) {
		return "", errNotFound("revision", revision)
	}
	return strings.TrimSpace(string(out)), err
}

// Head is the commit or tag that a branch or tag names, in full
// (refs/heads/main), as the last push left it. It asks the record, not git.
func (f *Forge) Head(ctx context.Context, r Repository, ref string) (string, error) {
	sha, err := recordedRef(ctx, f.world.DB, r.ID, ref)
	if errors.Is(err, database.ErrNotFound) {
		return "", errNotFound(RefType(ref), ShortRef(ref))
	}
	return sha, err
}

// Commit reads the commit that a revision names.
func (f *Forge) Commit(ctx context.Context, r Repository, revision string) (Commit, error) {
	sha, err := f.Resolve(ctx, r, revision)
	if err != nil {
		return Commit{}, err
	}
	commits, err := f.log(ctx, r, []string{sha}, 1)
	if err == nil && len(commits) == 0 {
		err = errNotFound("commit", sha)
	}
	if err != nil {
		return Commit{}, err
	}
	return commits[0], nil
}

// log reads commits, newest first. revs are object names, with ^ to exclude.
func (f *Forge) log(ctx context.Context, r Repository, revs []string, most int) ([]Commit, error) {
	var out *records
	err := f.ask(ctx, r, func(p place) error {
		cmd := f.git.command(ctx, p, f.git.path(r.folder), "log", "-z", "--no-show-signature", "--encoding=UTF-8",
			"--max-count="+strconv.Itoa(most), "--format="+commitForm, "--stdin")
		cmd.Stdin = strings.NewReader(revisions(revs))
		out = &records{}
		return runTo(ctx, cmd, "log", out)
	})
	if err != nil {
		return nil, err
	}
	return parseCommits(append(out.ended, out.open)), nil
}

// maxRecord is how much of one commit is kept: a message may be as long as a
// push.
const maxRecord = 32 << 10

// records keeps the beginning of every record that ends with a zero byte.
type records struct {
	ended [][]byte
	open  []byte
}

// Write implements io.Writer.
func (r *records) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		part, after, ended := bytes.Cut(rest, []byte{0})
		r.open = append(r.open, part[:min(len(part), maxRecord-len(r.open))]...)
		if ended {
			r.ended, r.open = append(r.ended, r.open), nil
		}
		rest = after
	}
	return len(p), nil
}

func parseCommits(list [][]byte) []Commit {
	var commits []Commit
	for _, record := range list {
		parts := strings.SplitN(strings.ToValidUTF8(string(record), "\uFFFD"), "\x1f", commitParts)
		if len(parts) < commitParts {
			continue
		}
		commits = append(commits, Commit{
			SHA: parts[0], Tree: parts[1], Parents: strings.Fields(parts[2]),
			Author:    Signature{Name: parts[3], Email: parts[4], At: unixTime(parts[5])},
			Committer: Signature{Name: parts[6], Email: parts[7], At: unixTime(parts[8])},
			Message:   strings.TrimRight(parts[9], "\n"),
		})
	}
	return commits
}

// lastSecond is the end of the year 9999, the last that JSON has a form for.
const lastSecond = 253402300799

// unixTime reads git's seconds. A commit can claim any.
func unixTime(text string) time.Time {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.Unix(min(max(n, 0), lastSecond), 0).UTC()
}

// File reads one file as it was at a revision. ErrNotFound when there is no
// such file, ErrTooLarge when it has more than most bytes.
func (f *Forge) File(ctx context.Context, r Repository, revision, name string, most int64) ([]byte, error) {
	sha, err := f.Resolve(ctx, r, revision)
	if err != nil {
		return nil, err
	}
	if name == "" || strings.ContainsAny(name, "\x00\n") || path.Clean("/"+name) != "/"+name {
		return nil, errNotFound("file", name)
	}
	object := sha + ":" + name
	size, err := f.run(ctx, r, "", "cat-file", "-s", object)
	if isRunError(err) {
		return nil, errNotFound("file", name)
	}
	if err != nil {
		return nil, err
	}
	if n, err := strconv.ParseInt(strings.TrimSpace(string(size)), 10, 64); err != nil || n > most || n > maxOutput {
		return nil, &Error{Code: CodeTooLarge, Message: "file " + name + " is larger than it may be"}
	}
	out, err := f.run(ctx, r, "", "cat-file", "blob", object)
	if isRunError(err) {
		return nil, errNotFound("file", name)
	}
	return out, err
}

// count counts the commits that revs reach.
func (f *Forge) count(ctx context.Context, r Repository, revs []string) (int64, error) {
	out, err := f.run(ctx, r, revisions(revs), "rev-list", "--count", "--stdin")
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
}

// names lists the newest commits that revs reach.
func (f *Forge) names(ctx context.Context, r Repository, revs []string, most int) (map[string]bool, error) {
	out, err := f.run(ctx, r, revisions(revs), "rev-list", "--max-count="+strconv.Itoa(most), "--stdin")
	if err != nil {
		return nil, err
	}
	set := map[string]bool{}
	for _, name := range strings.Fields(string(out)) {
		set[name] = true
	}
	return set, nil
}

// reaches reports whether every commit of before is still in after.
func (f *Forge) reaches(ctx context.Context, r Repository, before, after string) (bool, error) {
	_, err := f.run(ctx, r, "", "merge-base", "--is-ancestor", before, after)
	if isRunError(err) {
		return false, nil
	}
	return err == nil, err
}

func revisions(revs []string) string { return strings.Join(revs, "\n") + "\n" }

// checkRevision keeps options, ranges and the reflog's language out.
func checkRevision(revision string) error {
	if revision == "" || len(revision) > 250 || revision[0] == '-' ||
		strings.ContainsAny(revision, "\x00\n\r :^~?*[\\@{}") || strings.Contains(revision, "..") {
		return errNotFound("revision", strconv.Quote(revision))
	}
	return nil
}

func isRunError(err error) bool {
	var failed *runError
	return errors.As(err, &failed)
}
