package analytics

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strconv"
	"time"
	"unicode/utf8"

	"stoa.dev/stoa/internal/platform/database"
)

// Project is a domain that its owner watches.
type Project struct {
	ID      int64
	OwnerID int64
	Name    string
	// URL is the domain in its ASCII form.
	URL                  string
	CreatedAt, UpdatedAt time.Time
}

const (
	maxIdempotencyKey = 255
	// retryKeyTTL is how long a create may be repeated with its key.
	retryKeyTTL = 24 * time.Hour
	// maxKeysOfDeleted is how many keys of deleted projects an owner keeps beside one for each project that there may
	// be: they only tell a late retry that its project is gone, and who makes and deletes without end would fill
	// the table.
	maxKeysOfDeleted = 1000
)

// ListProjects returns the owner's projects, oldest first.
func (s *Service) ListProjects(ctx context.Context, owner int64) ([]Project, error) {
	return listProjects(ctx, s.world.DB, owner)
}

// GetProject finds a project of the owner.
func (s *Service) GetProject(ctx context.Context, owner, id int64) (Project, error) {
	if s.world.DB.Engine() != database.SQLite {
		return s.ownProject(ctx, s.world.DB, owner, id)
	}
	p, mark, ok := s.projects.Look(id)
	if ok && p.OwnerID == owner {
		return p, nil
	}
	// Another's is looked for as one that is not there: kept, it would be refused sooner, and
	// read, later.
	p, err := projectOfOwner(ctx, s.world.DB, owner, id)
	if err == nil {
		s.projects.PutSince(id, p, mark)
	}
	return checkOwner(owner, p, err)
}

func (s *Service) ownProject(ctx context.Context, q database.Querier, owner, id int64) (Project, error) {
	p, err := projectOfOwner(ctx, q, owner, id)
	return checkOwner(owner, p, err)
}

// checkOwner answers another user's project as one that does not exist.
func checkOwner(owner int64, p Project, err error) (Project, error) {
	if errors.Is(err, database.ErrNotFound) || err == nil && p.OwnerID != owner {
		return Project{}, errNotFound("there is no such project")
	}
	return p, err
}

// CreateProject makes a project. A retry with the same key and content returns
// what the first try made.
func (s *Service) CreateProject(ctx context.Context, owner int64, name, address, key string) (Project, error) {
	domain, err := parseDomain(address)
	if err != nil {
		return Project{}, err
	}
	if name == "" {
		name = domain
	}
	if err := checkProjectName(name); err != nil {
		return Project{}, err
	}
	if len(key) > maxIdempotencyKey || !utf8.ValidString(key) {
		return Project{}, errInvalidField("Idempotency-Key", "must be UTF-8 text of at most 255 bytes")
	}
	now := s.now()
	made := Project{ID: s.newProjectID(), OwnerID: owner, Name: name, URL: domain, CreatedAt: now, UpdatedAt: now}
	p := made
	err = s.world.DB.WriteKeyed(ctx, projectsKey(owner), func(ctx context.Context, tx *database.Tx) error {
		p = made
		if key != "" {
			earlier, err := s.findRetry(ctx, tx, p, key)
			if err != nil || earlier.ID != 0 {
				p = earlier
				return err
			}
		}
		n, taken, err := countProjects(ctx, tx, owner, domain)
		switch {
		case err != nil:
			return err
		case taken:
			return errConflict("you have a project for %s already", domain)
		case n >= s.config.MaxProjects:
			return errForbidden("you have as many projects as you may")
		}
		return insertProject(ctx, tx, p)
	})
	return p, err
}

// findRetry finds what an earlier request with the key made, or takes the key.
func (s *Service) findRetry(ctx context.Context, tx *database.Tx, p Project, key string) (Project, error) {
	sum := sha256.Sum256([]byte(p.Name + "\x00" + p.URL))
	fingerprint := hex.EncodeToString(sum[:])
	id, before, err := retryByKey(ctx, tx, p.OwnerID, key, p.CreatedAt.Add(-retryKeyTTL))
	switch {
	case errors.Is(err, database.ErrNotFound):
		return Project{}, s.takeKey(ctx, tx, p, key, fingerprint)
	case err != nil:
		return Project{}, err
	case before != fingerprint:
		return Project{}, errConflict("the Idempotency-Key was used for another request")
	}
	earlier, err := projectByID(ctx, tx, id)
	if errors.Is(err, database.ErrNotFound) {
		return Project{}, errConflict("the project that this Idempotency-Key made has been deleted")
	}
	return earlier, err
}

// takeKey keeps a key for the retries of a create. An owner who has as many as may be loses the oldest of deleted
// projects, some at once: to look for them at every create would cost more than to keep them.
func (s *Service) takeKey(ctx context.Context, tx *database.Tx, p Project, key, fingerprint string) error {
	n, err := countRetries(ctx, tx, p.OwnerID)
	if err != nil {
		return err
	}
	if most := s.config.MaxProjects + maxKeysOfDeleted; n >= most {
		some := min(n-most+maxKeysOfDeleted/10, maxKeysOfDeleted)
		if err := deleteRetriesOfDeleted(ctx, tx, p.OwnerID, some); err != nil {
			return err
		}
	}
	return upsertRetry(ctx, tx, p, key, fingerprint)
}

// RenameProject changes the name, which is all of a project that can change: an address
// that is not empty must be the one it has.
func (s *Service) RenameProject(ctx context.Context, owner, id int64, name, address string) (Project, error) {
	if err := checkProjectName(name); err != nil {
		return Project{}, err
	}
	now := s.now()
	var p Project
	err := s.world.DB.WriteKeyed(ctx, projectsKey(owner), func(ctx context.Context, tx *database.Tx) error {
		var err error
		if p, err = s.ownProject(ctx, tx, owner, id); err != nil {
			return err
		}
		if domain, err := parseDomain(address); address != "" && (err != nil || domain != p.URL) {
			return errInvalidField("url", "cannot change: the project is that of %s", p.URL)
		}
		p.Name, p.UpdatedAt = name, now
		s.forgetProject(tx, id)
		return updateProject(ctx, tx, p)
	})
	return p, err
}

// DeleteProject removes a project.
func (s *Service) DeleteProject(ctx context.Context, owner, id int64) error {
	return s.world.DB.WriteKeyed(ctx, projectsKey(owner), func(ctx context.Context, tx *database.Tx) error {
		if _, err := s.ownProject(ctx, tx, owner, id); err != nil {
			return err
		}
		s.forgetProject(tx, id)
		return deleteProject(ctx, tx, id)
	})
}

func projectsKey(owner int64) string { return "analytics/projects/" + strconv.FormatInt(owner, 10) }

// newProjectID has 15 digits, which every reader of JSON keeps exact.
func (s *Service) newProjectID() int64 {
	const low, high = 100_000_000_000_000, 1_000_000_000_000_000
	return low + s.world.IDs.Int64N(high-low)
}
