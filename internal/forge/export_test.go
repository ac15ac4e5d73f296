package forge

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"time"

	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/database"
)

// Folder is where the bare repository lies.
func (f *Forge) Folder(r Repository) string { return f.git.Path(r.folder) }

// UsedSlots is how many slots programs for clients have.
func (f *Forge) UsedSlots() int64 { return f.git.ClientSlots() }

// TakeSlot takes one of the slots for programs that serve clients.
func (f *Forge) TakeSlot(ctx context.Context, r Repository) (release func(), err error) {
	s, err := f.git.ReadSlot(ctx, budget.Caller("test"), r.folder)
	return s.Release, err
}

// Pushes lists the newest pushes of a repository, newest first.
func (f *Forge) Pushes(ctx context.Context, r Repository, limit int) ([]Push, error) {
	return database.All(ctx, f.world.DB, scanPush, `
		SELECT id, repository_id, ref, before_sha, after_sha, forced, size, distinct_size, commits, actor_id, actor_name, pushed_at
		FROM forge_pushes WHERE repository_id = $1 ORDER BY id DESC LIMIT $2`, r.ID, limit)
}

func scanPush(s database.Scanner) (p Push, err error) {
	var commits string
	err = s.Scan(&p.ID, &p.RepositoryID, &p.Ref, &p.Before, &p.After, &p.Forced, &p.Size, &p.DistinctSize, &commits,
		&p.Actor.ID, &p.Actor.Name, database.ScanTime(&p.At))
	if err == nil {
		err = json.Unmarshal([]byte(commits), &p.Commits)
	}
	return p, err
}

// Folders are those of all repositories, also of those without a row.
func (f *Forge) Folders() (map[string]fs.FileInfo, error) { return f.git.Folders() }

// PushBatch is how many records of pushes are deleted in one transaction.
const PushBatch = pushBatch

// RecordPushes writes records of pushes to refs with numbers, without git.
func RecordPushes(r Repository, actor Actor, at time.Time, first, n int) database.TxFunc {
	return func(ctx context.Context, tx *database.Tx) error {
		for i := range n {
			p := Push{RepositoryID: r.ID, Ref: fmt.Sprint("r", first+i), Actor: actor, At: at}
			if _, err := insertPush(ctx, tx, p); err != nil {
				return err
			}
		}
		return nil
	}
}

// MaxRedirects is how many old names of repositories an owner has.
const MaxRedirects = maxRedirects
