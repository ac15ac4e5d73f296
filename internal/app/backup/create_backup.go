package backup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"stoa.dev/stoa/internal/platform/audit"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/dump"
	"stoa.dev/stoa/internal/platform/durable"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/world"
)

const (
	manifestName, dataDir, rowsDir = "manifest.json", "data", "rows"
	format                         = 1
)

// Source is what is copied.
type Source struct {
	World   *world.World
	Version string
	// OutsideFolder says what of the world lies outside of its folder and is not copied.
	OutsideFolder string
}

// Manifest describes a backup.
type Manifest struct {
	Format  int             `json:"format"`
	Version string          `json:"version"`
	Engine  database.Engine `json:"engine"`
	Created string          `json:"made"`
	// Migrations, Tables and Sequences are those of PostgreSQL.
	Migrations []string        `json:"migrations,omitempty"`
	Tables     []dump.Table    `json:"tables,omitempty"`
	Sequences  []dump.Sequence `json:"sequences,omitempty"`
	Files      []File          `json:"files"`
}

// Result is the answer of "backup".
type Result struct {
	Folder string `json:"folder"`
	Files  int    `json:"files"`
	Bytes  int64  `json:"bytes"`
}

// Command is "stoa backup".
func Command(s Source) module.Command {
	return module.Command{
		Path:  "backup",
		Short: "copy everything of one moment to a new folder, while the server runs",
		Long: "The folder must not exist. It holds the root key too: keep it where only you can read it. " +
			"stoa restore brings it back.",
		Args: []module.Arg{{Name: "folder", Help: "where to make it", File: module.NewFolder}},
		Run: func(ctx context.Context, in *module.Input) (any, error) {
			return s.Make(ctx, in.Text("folder"), in.Named("folder")[0])
		},
	}
}

// Make copies everything to a new folder, which the operator knows as named and which
// is not in the data folder.
func (s Source) Make(ctx context.Context, to, named string) (Result, error) {
	if err := errors.Join(s.check(to), s.outside(named)); err != nil {
		return Result{}, err
	}
	return s.makeRecorded(ctx, to, named)
}

// makeRecorded makes the folder; the beginning and the end are on record.
func (s Source) makeRecorded(ctx context.Context, to, named string) (Result, error) {
	if err := s.record(ctx, named, audit.Begun, ""); err != nil {
		return Result{}, err
	}
	out, err := s.copy(ctx, to)
	if err != nil {
		return out, errors.Join(err, s.record(context.WithoutCancel(ctx), named, audit.Failed, err.Error()))
	}
	return out, s.record(ctx, named, audit.Done, fmt.Sprintf("%d files, %d bytes", out.Files, out.Bytes))
}

// record puts the backup in the audit trail.
func (s Source) record(ctx context.Context, to string, outcome audit.Outcome, detail string) error {
	return s.World.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		return audit.Record(ctx, tx, s.World.Clock.Now(), audit.Entry{
			Action: "backup.make", Object: to, Outcome: outcome, Detail: detail,
		})
	})
}

// check refuses what cannot be made.
func (s Source) check(to string) error {
	if s.OutsideFolder != "" {
		return module.Fail(module.Config, "back it up with its own tools, in the order of docs/operations-scale.md",
			"%s lies outside of the data folder", s.OutsideFolder)
	}
	if _, err := os.Lstat(to); !errors.Is(err, fs.ErrNotExist) {
		return module.Fail(module.Conflict, "name a new folder", "%s exists", to)
	}
	return nil
}

// outside refuses a backup in the folder that it is of.
func (s Source) outside(named string) error {
	own, err := filepath.Abs(s.World.Dir)
	if err != nil {
		return err
	}
	if rest, err := filepath.Rel(own, named); err == nil && filepath.IsLocal(rest) {
		return module.Fail(module.Usage, "name a folder outside of it", "%s is in the data folder", named)
	}
	return nil
}

// copy makes the folder under another name first.
func (s Source) copy(ctx context.Context, to string) (out Result, err error) {
	own, err := filepath.Abs(s.World.Dir)
	if err != nil {
		return out, err
	}
	part := to + ".part"
	if err := os.Mkdir(part, 0o700); err != nil {
		return out, module.Fail(module.Conflict, "remove it if no other backup is being made", "%w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(part))
		}
	}()
	m := Manifest{
		Format: format, Version: s.Version, Engine: s.World.DB.Engine(),
		Created: s.World.Clock.Now().UTC().Format("2006-01-02T15:04:05Z"),
	}
	c := &copier{from: own, to: part, files: map[string]File{}}
	if err := s.fill(ctx, c, &m); err != nil {
		return out, err
	}
	m.Files = c.list()
	if err := writeManifest(part, m); err != nil {
		return out, err
	}
	for _, f := range m.Files {
		out.Bytes += f.Size
	}
	out.Folder, out.Files = to, len(m.Files)
	return out, errors.Join(os.Rename(part, to), durable.SyncFolder(filepath.Dir(to)))
}

// fill copies blobs first, which never change, and then all of one moment.
func (s Source) fill(ctx context.Context, c *copier, m *Manifest) error {
	if err := c.copyTree(ctx, "blobs", nil); err != nil {
		return err
	}
	if m.Engine != database.SQLite {
		if err := s.writeRows(ctx, c, m); err != nil {
			return err
		}
		return c.copyTree(ctx, ".", nil)
	}
	if err := s.World.Limits.Save(ctx); err != nil {
		return err
	}
	return s.World.DB.HoldFiles(ctx, func(whole bool) error {
		if whole {
			return c.copyTree(ctx, ".", []string{database.FileName + "-wal"})
		}
		return c.copyTree(ctx, ".", nil)
	})
}

// writeRows writes all tables as they are in one transaction.
func (s Source) writeRows(ctx context.Context, c *copier, m *Manifest) error {
	return s.World.DB.Read(ctx, func(ctx context.Context, tx *database.Tx) (err error) {
		if m.Migrations, err = dump.Migrations(ctx, tx); err != nil {
			return err
		}
		if m.Sequences, err = dump.Sequences(ctx, tx); err != nil {
			return err
		}
		tables, err := dump.Tables(ctx, tx)
		if err != nil {
			return err
		}
		for _, name := range tables {
			t := dump.Table{Name: name}
			err := c.create(rowsDir+"/"+name, 0o600, func(w io.Writer) (err error) {
				t.Rows, err = dump.Write(ctx, tx, name, w)
				return err
			})
			if err != nil {
				return fmt.Errorf("table %s: %w", name, err)
			}
			m.Tables = append(m.Tables, t)
		}
		return nil
	})
}

func writeManifest(dir string, m Manifest) error {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	c := &copier{to: dir, files: map[string]File{}}
	return c.create(manifestName, 0o600, func(w io.Writer) error {
		_, err := w.Write(append(text, '\n'))
		return err
	})
}
