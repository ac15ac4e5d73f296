package migration

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"sort"
	"strconv"
	"strings"
)

// Set is the schema history of one module: numbered files
// NNNN_name.sql, from 0001 without gaps, never edited after release. Where the
// dialects differ, NNNN_name.postgres.sql or NNNN_name.sqlite.sql beside it is
// used instead on that engine.
//
// These macros are expanded in them:
//
//	{{text}}    text that sorts by its bytes on both engines
//	{{blob}}    bytes
//	{{bool}}    a boolean
//	{{serial}}  a whole number the database counts up, with its PRIMARY KEY
type Set struct {
	Module string
	Files  fs.FS
}

// Embedded is the set that a module embeds as its folder named migrations.
func Embedded(module string, files embed.FS) Set {
	sub, err := fs.Sub(files, "migrations")
	if err != nil {
		panic(err) // the name is a constant and a valid one
	}
	return Set{Module: module, Files: sub}
}

// Step is one migration.
type Step struct {
	Version  int
	Name     string
	Text     string // macros expanded
	Checksum string // of the file, macros not expanded
}

func (s Step) String() string { return fmt.Sprintf("%04d_%s", s.Version, s.Name) }

// migrationName is NNNN_name.sql, with an engine before the suffix or without.
var migrationName = regexp.MustCompile(`^([0-9]{4})_([a-z0-9_]+)(\.(sqlite|postgres))?\.sql$`)

// Load reads the files of a set that count on an engine, in order.
func (m Set) Load(engine string) ([]Step, error) {
	if m.Module == "" {
		return nil, errNoModule
	}
	if m.Files == nil {
		return nil, nil // a module without tables
	}
	chosen, err := m.choose(engine)
	if err != nil {
		return nil, err
	}
	steps := make([]Step, 0, len(chosen))
	for _, file := range chosen {
		s, err := m.read(engine, file)
		if err != nil {
			return nil, err
		}
		if want := len(steps) + 1; s.Version != want {
			return nil, fmt.Errorf("migrate %s: file %s found where number %04d is due; numbers start at 0001 and have no gaps",
				m.Module, file, want)
		}
		steps = append(steps, s)
	}
	return steps, nil
}

// choose lists one file per migration, sorted: the engine's own if there is one.
func (m Set) choose(engine string) ([]string, error) {
	own, common := map[string]string{}, map[string]string{}
	err := fs.WalkDir(m.Files, ".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(file, ".sql") {
			return err
		}
		parts := migrationName.FindStringSubmatch(path.Base(file))
		if parts == nil {
			return fmt.Errorf("file %s is not named like 0001_name.sql or 0001_name.postgres.sql", file)
		}
		switch key := parts[1] + "_" + parts[2]; parts[4] {
		case "":
			common[key] = file
		case engine:
			own[key] = file
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("migrate %s: %w", m.Module, err)
	}
	for key, file := range own {
		common[key] = file
	}
	files := make([]string, 0, len(common))
	for _, file := range common {
		files = append(files, file)
	}
	sort.Slice(files, func(i, j int) bool { return path.Base(files[i]) < path.Base(files[j]) })
	return files, nil
}

func (m Set) read(engine string, file string) (Step, error) {
	raw, err := fs.ReadFile(m.Files, file)
	if err != nil {
		return Step{}, fmt.Errorf("migrate %s: %w", m.Module, err)
	}
	// A checkout with other line ends is the same migration.
	raw = bytes.ReplaceAll(raw, []byte("\r\n"), []byte("\n"))
	parts := migrationName.FindStringSubmatch(path.Base(file))
	version, err := strconv.Atoi(parts[1])
	if err != nil {
		return Step{}, fmt.Errorf("migrate %s: file %s: %w", m.Module, file, err)
	}
	text, err := expand(engine, string(raw))
	if err != nil {
		return Step{}, fmt.Errorf("migrate %s: file %s: %w", m.Module, file, err)
	}
	sum := sha256.Sum256(raw)
	return Step{Version: version, Name: parts[2], Text: text, Checksum: hex.EncodeToString(sum[:])}, nil
}

// expand replaces the macros by the engine's words. It runs at every start for every
// migration there ever was, so it reads the text once.
func expand(engine string, text string) (string, error) {
	var out strings.Builder
	out.Grow(len(text))
	for {
		before, rest, found := strings.Cut(text, "{{")
		out.WriteString(before)
		if !found {
			return out.String(), nil
		}
		name, after, closed := strings.Cut(rest, "}}")
		word, known := macroWord(engine, strings.Trim(name, " "))
		if !closed || !known {
			return "", fmt.Errorf("macro {{%s}} is unknown; there are {{text}}, {{blob}}, {{bool}} and {{serial}}", name)
		}
		out.WriteString(word)
		text = after
	}
}

func macroWord(engine string, name string) (string, bool) {
	type words struct{ sqlite, postgres string }
	var w words
	switch name {
	case "text":
		// The C collation compares bytes, as SQLite does.
		w = words{"TEXT", `TEXT COLLATE "C"`}
	case "blob":
		w = words{"BLOB", "BYTEA"}
	case "bool":
		w = words{"BOOLEAN", "BOOLEAN"}
	case "serial":
		w = words{"INTEGER PRIMARY KEY AUTOINCREMENT", "BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY"}
	default:
		return "", false
	}
	if engine == "postgres" {
		return w.postgres, true
	}
	return w.sqlite, true
}

// ErrNewer says that steps were applied which the program does not know.
var ErrNewer = errors.New("written by a newer version")

// Rest is what follows the steps of a module that were applied. It refuses a history
// that the program does not understand.
func Rest(module string, known, applied []Step) ([]Step, error) {
	for i, was := range applied {
		if i >= len(known) {
			return nil, fmt.Errorf("%w: module %s is at migration %s, this program knows %d; "+
				"start the version that wrote it or restore a backup made before the upgrade",
				ErrNewer, module, applied[len(applied)-1], len(known))
		}
		if now := known[i]; was.Version != now.Version || was.Checksum != now.Checksum {
			return nil, fmt.Errorf(
				"this database was made by another version: migration %s of %s was applied in another form "+
					"(checksum %.12s, this program has %s with %.12s); "+
					"start that version, or begin with an empty folder or database",
				was, module, was.Checksum, now, now.Checksum)
		}
	}
	return known[len(applied):], nil
}

// Checksum identifies a list of migration sets on an engine. Test databases
// that share it share their template.
func Checksum(engine string, sets ...Set) (string, error) {
	h := sha256.New()
	for _, set := range sets {
		steps, err := set.Load(engine)
		if err != nil {
			return "", err
		}
		for _, s := range steps {
			fmt.Fprintf(h, "%s %s %s\n%s\n", set.Module, s, s.Checksum, s.Text)
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

var errNoModule = errors.New("migrate: a set of migrations has no module name")
