package contents

import (
	"context"
	"path"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/forge/git"
	"stoa.dev/stoa/internal/forge/refusal"
)

// maxTreeList bounds what git prints about one folder, with all below it.
const maxTreeList = 2 << 20

// Entry is a file, folder or linked repository in a folder.
type Entry struct {
	// Mode is git's, in octal: 100644, 100755, 040000, 120000 or 160000.
	Mode string
	// Type is blob, tree or commit.
	Type string
	SHA  string
	// Size is that of a blob.
	Size int64
	// Path is below the folder that was asked for.
	Path string
}

// Tree lists a folder, named by its own object name or by a revision. whole is false
// when it is longer than what is shown.
func (rd *Reader) Tree(
	ctx context.Context, r Repository, revision string, recursive bool,
) (sha string, list []Entry, whole bool, err error) {
	if err := CheckRevision(revision); err != nil {
		return "", nil, false, err
	}
	out, err := rd.output(ctx, r, "", "rev-parse", "--verify", "--quiet", "--end-of-options", revision+"^{tree}")
	if git.IsRunError(err) {
		return "", nil, false, refusal.NotFound("tree", revision)
	}
	if err != nil {
		return "", nil, false, err
	}
	sha = strings.TrimSpace(string(out))
	list, whole, err = rd.entries(ctx, r, sha, recursive)
	return sha, list, whole, err
}

// Entries lists a folder, which its tree names.
func (rd *Reader) Entries(ctx context.Context, r Repository, tree string) ([]Entry, error) {
	list, _, err := rd.entries(ctx, r, tree, false)
	return list, err
}

func (rd *Reader) entries(ctx context.Context, r Repository, tree string, recursive bool) ([]Entry, bool, error) {
	args := []string{"ls-tree", "-z", "-l", "--full-tree"}
	if recursive {
		args = append(args, "-r", "-t")
	}
	out, whole, err := rd.git.Beginning(ctx, r.Git(), maxTreeList, append(args, tree)...)
	if err != nil {
		return nil, false, refusal.FromGit(err)
	}
	return parseEntries(out, whole), whole, nil
}

// parseEntries reads "MODE TYPE SHA SIZE\tPATH", each ended by a zero byte.
func parseEntries(out []byte, whole bool) []Entry {
	list := []Entry{}
	lines := strings.Split(strings.ToValidUTF8(string(out), "\uFFFD"), "\x00")
	if !whole {
		lines = lines[:len(lines)-1] // cut off
	}
	for _, line := range lines {
		facts, name, ok := strings.Cut(line, "\t")
		fields := strings.Fields(facts)
		if !ok || len(fields) < 4 {
			continue
		}
		// Folders have "-" in place of a size, which stays zero.
		size, _ := strconv.ParseInt(fields[3], 10, 64)
		list = append(list, Entry{Mode: fields[0], Type: fields[1], SHA: fields[2], Size: size, Path: name})
	}
	return list
}

// maxPath is the longest path of a file that is looked for; git is given it as an argument,
// and the system refuses to start a program with one that is too long.
const maxPath = 1 << 16

// EntryAt finds what a path names in a commit. ErrNotFound when there is nothing. The
// empty path is the root folder.
func (rd *Reader) EntryAt(ctx context.Context, r Repository, commit, name string) (Entry, error) {
	if len(name) > maxPath || strings.ContainsAny(name, "\x00\n") || name != "" && path.Clean("/"+name) != "/"+name {
		return Entry{}, refusal.NotFound("file", strconv.Quote(name))
	}
	if name == "" {
		out, err := rd.output(ctx, r, "", "rev-parse", "--verify", "--quiet", commit+"^{tree}")
		return Entry{Mode: "040000", Type: "tree", SHA: strings.TrimSpace(string(out))}, err
	}
	out, whole, err := rd.git.Beginning(ctx, r.Git(), maxTreeList,
		"--literal-pathspecs", "ls-tree", "-z", "-l", "--full-tree", commit, "--", name)
	if err != nil {
		return Entry{}, refusal.FromGit(err)
	}
	for _, e := range parseEntries(out, whole) {
		if e.Path == name {
			return e, nil
		}
	}
	return Entry{}, refusal.NotFound("file", strconv.Quote(name))
}

// Blob reads the content of a file by its object name. ErrTooLarge when it has more
// than limit bytes.
func (rd *Reader) Blob(ctx context.Context, r Repository, sha string, limit int64) ([]byte, error) {
	if !IsObjectName(sha) {
		return nil, refusal.NotFound("blob", strconv.Quote(sha))
	}
	size, err := rd.output(ctx, r, "", "cat-file", "-s", sha)
	if git.IsRunError(err) {
		return nil, refusal.NotFound("blob", sha)
	}
	if err != nil {
		return nil, err
	}
	if n, err := strconv.ParseInt(strings.TrimSpace(string(size)), 10, 64); err != nil || n > limit {
		return nil, refusal.TooLarge("the blob is larger than %d bytes; clone the repository to read it", limit)
	}
	out, err := rd.output(ctx, r, "", "cat-file", "blob", sha)
	if git.IsRunError(err) {
		return nil, refusal.NotFound("blob", sha)
	}
	return out, err
}

// Size is how many bytes a repository takes on disk.
func (rd *Reader) Size(r Repository) (int64, error) { return rd.git.Size(r.Git().Folder) }

// IsObjectName reports whether the text is a full object name.
func IsObjectName(text string) bool {
	return len(text) == len(git.Zero) && strings.Trim(text, "0123456789abcdef") == ""
}
