package forge

import (
	"bytes"
	"context"
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/forge/git"
)

// commitForm lists the parts of a commit, the message last because it alone
// may hold the separator.
const commitForm = "%H%x1f%T%x1f%P%x1f%an%x1f%ae%x1f%at%x1f%cn%x1f%ce%x1f%ct%x1f%B"

const commitParts = 10

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
func (f *Forge) log(ctx context.Context, r Repository, revs []string, limit int) ([]Commit, error) {
	var out *records
	err := f.git.Query(ctx, r.git(), func(s git.Slot) error {
		cmd := f.git.Command(ctx, s, f.git.Path(r.folder), "log", "-z", "--no-show-signature", "--encoding=UTF-8",
			"--max-count="+strconv.Itoa(limit), "--format="+commitForm, "--stdin")
		cmd.Stdin = strings.NewReader(revisions(revs))
		out = &records{}
		return git.Run(ctx, cmd, "log", out)
	})
	if err != nil {
		return nil, fromGit(err)
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

// count counts the commits that revs reach.
func (f *Forge) count(ctx context.Context, r Repository, revs []string) (int64, error) {
	out, err := f.output(ctx, r, revisions(revs), "rev-list", "--count", "--stdin")
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
}

// names lists the newest commits that revs reach.
func (f *Forge) names(ctx context.Context, r Repository, revs []string, limit int) (map[string]bool, error) {
	out, err := f.output(ctx, r, revisions(revs), "rev-list", "--max-count="+strconv.Itoa(limit), "--stdin")
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
	_, err := f.output(ctx, r, "", "merge-base", "--is-ancestor", before, after)
	if git.IsRunError(err) {
		return false, nil
	}
	return err == nil, err
}

func revisions(revs []string) string { return strings.Join(revs, "\n") + "\n" }
