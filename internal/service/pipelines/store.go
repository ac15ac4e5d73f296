package pipelines

import (
	"context"
	"embed"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

func migrations() database.Migrations { return database.Embedded(Name, migrationFiles) }

// storable is a text as both databases keep it: what jobs print and report may
// hold bytes that are no text.
func storable(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}

// project is the row of a repository.
type project struct {
	repoID   int64
	lastNum  int64
	enabled  bool
	settings string
	webhooks []byte
}

const projectColumns = `repo_id, last_num, enabled, settings, webhooks`

func scanProject(s database.Scanner) (p project, err error) {
	err = s.Scan(&p.repoID, &p.lastNum, &p.enabled, &p.settings, &p.webhooks)
	return p, err
}

func projectByID(ctx context.Context, q database.Querier, repoID int64) (project, error) {
	return database.One(ctx, q, scanProject, `SELECT `+projectColumns+` FROM pipelines_projects WHERE repo_id = $1`, repoID)
}

// ensureProject makes the row of a repository unless it is there.
func ensureProject(ctx context.Context, tx *database.Tx, repoID int64, now time.Time) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO pipelines_projects (repo_id, last_num, enabled, settings, created_at) VALUES ($1, 0, $2, '{}', $3)
		ON CONFLICT (repo_id) DO NOTHING`, repoID, true, database.Time(now))
	return err
}

// takeNumbers gives out the next numbers of a project and says the last.
func takeNumbers(ctx context.Context, tx *database.Tx, repoID int64, count int) (last int64, err error) {
	err = tx.QueryRow(ctx, `UPDATE pipelines_projects SET last_num = last_num + $2 WHERE repo_id = $1 RETURNING last_num`, repoID, count).Scan(&last)
	return last, err
}

// takeWish notes that the jobs of a wish are made; false when they were made
// before. Wishes without a name are all different.
func takeWish(ctx context.Context, tx *database.Tx, repoID int64, wish string, now time.Time) (bool, error) {
	if wish == "" {
		return true, nil
	}
	result, err := tx.Exec(ctx, `INSERT INTO pipelines_wishes (repo_id, wish, created_at) VALUES ($1, $2, $3)
		ON CONFLICT (repo_id, wish) DO NOTHING`, repoID, wish, database.Time(now))
	return result.RowsAffected > 0, err
}

// wishLife is how long a wish is remembered, far longer than the queue tries.
const wishLife = 30 * day

func deleteWishes(ctx context.Context, tx *database.Tx, before time.Time) error {
	_, err := tx.Exec(ctx, `DELETE FROM pipelines_wishes WHERE created_at < $1`, database.Time(before))
	return err
}

func updateProject(ctx context.Context, tx *database.Tx, p project) error {
	_, err := tx.Exec(ctx, `UPDATE pipelines_projects SET enabled = $2, settings = $3, webhooks = $4 WHERE repo_id = $1`,
		p.repoID, p.enabled, p.settings, p.webhooks)
	return err
}

// projectTables are the tables that hold rows of a repository.
func projectTables() []string {
	return []string{
		`DELETE FROM pipelines_projects WHERE repo_id = $1`, `DELETE FROM pipelines_caches WHERE repo_id = $1`,
		`DELETE FROM pipelines_envvars WHERE repo_id = $1`, `DELETE FROM pipelines_keys WHERE repo_id = $1`,
		`DELETE FROM pipelines_follows WHERE repo_id = $1`, `DELETE FROM pipelines_tokens WHERE repo_id = $1`,
		`DELETE FROM pipelines_wishes WHERE repo_id = $1`,
	}
}

// deleteProject forgets a repository. Its jobs stay until the sweep, out of
// reach, because what runs still has to end.
func deleteProject(ctx context.Context, tx *database.Tx, repoID int64) error {
	for _, text := range projectTables() {
		if _, err := tx.Exec(ctx, text, repoID); err != nil {
			return err
		}
	}
	return nil
}

// setFollow records what a person has said. auto follows only those who have
// said nothing yet.
func setFollow(ctx context.Context, tx *database.Tx, userID, repoID int64, following bool, now time.Time) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO pipelines_follows (user_id, repo_id, following, created_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (user_id, repo_id) DO UPDATE SET following = excluded.following`,
		userID, repoID, following, database.Time(now))
	return err
}

func autoFollow(ctx context.Context, tx *database.Tx, userID, repoID int64, now time.Time) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO pipelines_follows (user_id, repo_id, following, created_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (user_id, repo_id) DO NOTHING`, userID, repoID, true, database.Time(now))
	return err
}

func scanID(s database.Scanner) (id int64, err error) {
	err = s.Scan(&id)
	return id, err
}

// maxFollowed is how many repositories are listed that a user follows.
const maxFollowed = 1000

// followed lists the repositories that a user follows, oldest first; of many those
// that the user has followed last.
func followed(ctx context.Context, q database.Querier, userID int64) ([]int64, error) {
	return database.All(ctx, q, scanID, `
		SELECT repo_id FROM (
			SELECT repo_id, created_at FROM pipelines_follows WHERE user_id = $1 AND following = $2
			ORDER BY created_at DESC, repo_id DESC LIMIT $3) AS newest
		ORDER BY created_at, repo_id`, userID, true, maxFollowed)
}

func isFollowed(ctx context.Context, q database.Querier, userID, repoID int64) (bool, error) {
	n, err := database.One(ctx, q, scanID,
		`SELECT COUNT(*) FROM pipelines_follows WHERE user_id = $1 AND repo_id = $2 AND following = $3`, userID, repoID, true)
	return n > 0, err
}

// followers lists the people who follow a repository.
func followers(ctx context.Context, q database.Querier, repoID int64) ([]int64, error) {
	return database.All(ctx, q, scanID,
		`SELECT user_id FROM pipelines_follows WHERE repo_id = $1 AND following = $2 ORDER BY created_at, user_id`, repoID, true)
}

func emailPrefs(ctx context.Context, q database.Querier, userID int64) (EmailPrefs, error) {
	return database.One(ctx, q, func(s database.Scanner) (p EmailPrefs, err error) {
		err = s.Scan(&p)
		return p, err
	}, `SELECT email_prefs FROM pipelines_preferences WHERE user_id = $1`, userID)
}

func setEmailPrefs(ctx context.Context, tx *database.Tx, userID int64, p EmailPrefs) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO pipelines_preferences (user_id, email_prefs) VALUES ($1, $2)
		ON CONFLICT (user_id) DO UPDATE SET email_prefs = excluded.email_prefs`, userID, string(p))
	return err
}
