package gitoutput

import (
	"strconv"
	"strings"
)

// MaxFiles is how many files of a difference are listed.
const MaxFiles = 300

// FileChange is what a difference does to one file.
type FileChange struct {
	// Status is added, removed, modified, renamed, copied or changed.
	Status string
	Path   string
	// PreviousPath is set on renamed and copied files.
	PreviousPath string
	// SHA is the blob after the change, or before a removal.
	SHA                  string
	Additions, Deletions int64
	// Patch is the difference in lines, empty for binary files and where the whole is
	// longer than is shown.
	Patch string
}

// Changes reads the raw lines and the numbers that follow them, both ended by zero
// bytes. What is cut off at the end is left out.
func Changes(text string) []FileChange {
	var list []FileChange
	at := map[string]int{}
	rest := strings.Split(text, "\x00")
	next := func() string {
		if len(rest) < 2 { // the last has no end
			rest = nil
			return ""
		}
		head := rest[0]
		rest = rest[1:]
		return head
	}
	for token := next(); token != ""; token = next() {
		if !strings.HasPrefix(token, ":") {
			addNumbers(list, at, token, next)
			continue
		}
		c, ok := parseRaw(token, next)
		if ok && len(list) < MaxFiles {
			at[c.Path] = len(list)
			list = append(list, c)
		}
	}
	return list
}

// parseRaw reads ":MODE MODE SHA SHA STATUS" and the one or two paths after it.
func parseRaw(token string, next func() string) (FileChange, bool) {
	fields := strings.Fields(token)
	c := FileChange{Path: next()}
	if len(fields) < 5 || c.Path == "" {
		return c, false
	}
	c.SHA = fields[3]
	switch fields[4][0] {
	case 'A':
		c.Status = "added"
	case 'D':
		c.Status, c.SHA = "removed", fields[2]
	case 'M':
		c.Status = "modified"
	case 'R', 'C':
		c.Status = map[byte]string{'R': "renamed", 'C': "copied"}[fields[4][0]]
		c.PreviousPath, c.Path = c.Path, next()
	default:
		c.Status = "changed"
	}
	return c, c.Path != ""
}

// addNumbers reads "ADDED\tDELETED\tPATH"; a renamed file has its two paths after it.
func addNumbers(list []FileChange, at map[string]int, token string, next func() string) {
	parts := strings.SplitN(token, "\t", 3)
	if len(parts) < 3 {
		return
	}
	path := parts[2]
	if path == "" {
		next()
		path = next()
	}
	i, ok := at[path]
	if !ok {
		return
	}
	// Binary files have "-" in place of numbers, which stays zero.
	list[i].Additions, _ = strconv.ParseInt(parts[0], 10, 64)
	list[i].Deletions, _ = strconv.ParseInt(parts[1], 10, 64)
}

// AddPatches gives each file its part of the difference. Both are in the same order;
// the last part of a difference that is not whole is left out.
func AddPatches(list []FileChange, text string, whole bool) {
	parts := strings.Split("\n"+text, "\ndiff --git ")
	for i := range list {
		if i+1 >= len(parts) {
			return
		}
		if i+2 == len(parts) && !whole {
			return
		}
		if _, hunks, ok := strings.Cut(parts[i+1], "\n@@"); ok {
			list[i].Patch = strings.TrimSuffix("@@"+hunks, "\n")
		}
	}
}
