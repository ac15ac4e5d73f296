package lab

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/app/settings"
)

// keptTime is how long a kept world lies in the cache, however often it is used.
const keptTime = 7 * 24 * time.Hour

// cache keeps worlds that were made from nothing, so that a process that lives
// for one command need not make the demo anew. What is kept belongs to one build
// of the program and one configuration; it holds credentials, so only its owner
// can read it.
type cache struct {
	dir string // empty keeps nothing
	// maker tells builds and configurations apart.
	maker string
}

// newCache prepares the cache of a lab. Where the program's own file cannot be
// told from another build's, nothing is kept.
func newCache(l *Lab) cache {
	program, err := os.Executable()
	if err != nil || l.options.Cache == "" {
		return cache{}
	}
	file, err := os.Stat(program)
	if err != nil {
		return cache{}
	}
	var text bytes.Buffer
	config, defaults := l.config("", ""), app.DefaultConfig()
	if err := settings.Print(&text, &config, &defaults); err != nil {
		return cache{}
	}
	maker := fmt.Sprintf("%s\n%d\n%d\n%s", l.options.Version, file.Size(), file.ModTime().UnixNano(), text.Bytes())
	return cache{dir: l.options.Cache, maker: maker}
}

// name begins the names of the folders for a template; the rest says when it was
// made.
func (c cache) name(k templateKey) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%d\n%t\n%s", c.maker, k.from, k.at.UnixNano(), k.seeded,
		k.seedFile))
	return hex.EncodeToString(sum[:16]) + "-"
}

// find is the newest folder for the template that is as good as a new one, empty
// when there is none.
func (c cache) find(k templateKey, now time.Time) string {
	if c.dir == "" {
		return ""
	}
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return ""
	}
	found, newest := "", time.Time{}
	for _, e := range entries {
		stamp, ours := strings.CutPrefix(e.Name(), c.name(k))
		made, ok := parseStamp(stamp)
		if ours && ok && k.fresh(now.Sub(made)) && !made.After(now) && made.After(newest) {
			found, newest = filepath.Join(c.dir, e.Name()), made
		}
	}
	return found
}

func parseStamp(text string) (time.Time, bool) {
	n, err := strconv.ParseInt(text, 10, 64)
	return time.UnixMilli(n), err == nil
}

// keep copies a base into the cache under its name in one step, and removes what
// is too old.
func (c cache) keep(k templateKey, now time.Time, data string, immutable []string) error {
	if c.dir == "" {
		return nil
	}
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		return err
	}
	part, err := os.MkdirTemp(c.dir, "unfinished")
	if err != nil {
		return err
	}
	target := filepath.Join(c.dir, c.name(k)+strconv.FormatInt(now.UnixMilli(), 10))
	err = copyFolder(data, filepath.Join(part, dataFolder), immutable)
	if err == nil {
		err = os.Rename(filepath.Join(part, dataFolder), target)
	}
	return errors.Join(err, os.RemoveAll(part), c.prune(k, now))
}

// prune removes what was made too long ago, with time for who copies it now, and
// what a process left unfinished.
func (c cache) prune(k templateKey, now time.Time) error {
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return err
	}
	var failed []error
	entries, failed = c.pruneOldest(entries)
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			continue // another process was faster
		}
		age := now.Sub(info.ModTime())
		if stale := strings.HasPrefix(e.Name(), c.name(k)) && !k.fresh(age/2); stale || age > keptTime {
			failed = append(failed, os.RemoveAll(filepath.Join(c.dir, e.Name())))
		}
	}
	return errors.Join(failed...)
}

// maxKept bounds what different seed files and dates leave.
const maxKept = 64

// pruneOldest removes what was made first where there are too many.
func (c cache) pruneOldest(entries []os.DirEntry) (left []os.DirEntry, failed []error) {
	made := func(e os.DirEntry) time.Time {
		info, err := e.Info()
		if err != nil {
			return time.Time{} // another process was faster
		}
		return info.ModTime()
	}
	slices.SortFunc(entries, func(a, b os.DirEntry) int { return made(a).Compare(made(b)) })
	excess := max(0, len(entries)-maxKept)
	for _, e := range entries[:excess] {
		failed = append(failed, os.RemoveAll(filepath.Join(c.dir, e.Name())))
	}
	return entries[excess:], failed
}
