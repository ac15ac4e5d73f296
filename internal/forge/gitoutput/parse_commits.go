package gitoutput

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Signature is an author or committer as a commit names them.
type Signature struct {
	Name  string    `json:"name"`
	Email string    `json:"email"`
	At    time.Time `json:"at"`
}

// Commit is one commit.
type Commit struct {
	SHA       string    `json:"sha"`
	Tree      string    `json:"tree"`
	Parents   []string  `json:"parents,omitempty"`
	Author    Signature `json:"author"`
	Committer Signature `json:"committer"`
	Message   string    `json:"message"`
	// Distinct commits of a push were in no other branch or tag before it.
	Distinct bool `json:"distinct"`
}

// CommitForm lists the parts of a commit, the message last because it alone
// may hold the separator.
const CommitForm = "%H%x1f%T%x1f%P%x1f%an%x1f%ae%x1f%at%x1f%cn%x1f%ce%x1f%ct%x1f%B"

const commitParts = 10

// MaxRecord is how much of one commit or tag is kept: a message may be as long as a
// push.
const MaxRecord = 32 << 10

// Commits is written what git prints in CommitForm. Of every commit the beginning is kept.
type Commits struct {
	ended [][]byte
	open  []byte
}

// Write implements io.Writer.
func (r *Commits) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		part, after, ended := bytes.Cut(rest, []byte{0})
		r.open = append(r.open, part[:min(len(part), MaxRecord-len(r.open))]...)
		if ended {
			r.ended, r.open = append(r.ended, r.open), nil
		}
		rest = after
	}
	return len(p), nil
}

// List is what was written so far.
func (r *Commits) List() []Commit {
	var commits []Commit
	for _, record := range append(slices.Clone(r.ended), r.open) {
		parts := strings.SplitN(strings.ToValidUTF8(string(record), "\uFFFD"), "\x1f", commitParts)
		if len(parts) < commitParts {
			continue
		}
		commits = append(commits, Commit{
			SHA: parts[0], Tree: parts[1], Parents: strings.Fields(parts[2]),
			Author:    Signature{Name: parts[3], Email: parts[4], At: Time(parts[5])},
			Committer: Signature{Name: parts[6], Email: parts[7], At: Time(parts[8])},
			Message:   strings.TrimRight(parts[9], "\n"),
		})
	}
	return commits
}

// lastSecond is the end of the year 9999, the last that JSON has a form for.
const lastSecond = 253402300799

// Time reads seconds since 1970. A commit can claim any.
func Time(text string) time.Time {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.Unix(min(max(n, 0), lastSecond), 0).UTC()
}
