package build

import (
	"context"
	"encoding/json"

	"stoa.dev/stoa/internal/platform/database"
)

// InsertTests writes what a node reports, under a number of the node's own.
func InsertTests(ctx context.Context, tx *database.Tx, buildID int64, node int, seq int64, cases []TestCase) error {
	results, err := jsonText(cases)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `INSERT INTO pipelines_tests (build_id, node, seq, results) VALUES ($1, $2, $3, $4)`,
		buildID, node, seq, results)
	return err
}

// EachTest hands the reported tests of a job to fn.
func EachTest(ctx context.Context, q database.Querier, buildID int64, fn func(TestCase)) error {
	parts, err := database.All(ctx, q, func(s database.Scanner) (text string, err error) {
		err = s.Scan(&text)
		return text, err
	}, `SELECT results FROM pipelines_tests WHERE build_id = $1 ORDER BY node, seq`, buildID)
	if err != nil {
		return err
	}
	for _, part := range parts {
		var cases []TestCase
		if err := json.Unmarshal([]byte(part), &cases); err != nil {
			return err
		}
		for _, c := range cases {
			fn(c)
		}
	}
	return nil
}

// NewestWithTests finds the newest finished job of the same name in the project, before one, that has reported tests.
func NewestWithTests(ctx context.Context, q database.Querier, b *Build) (id int64, err error) {
	return database.One(ctx, q, func(s database.Scanner) (id int64, err error) {
		err = s.Scan(&id)
		return id, err
	}, `SELECT b.id FROM pipelines_builds b
		WHERE b.repo_id = $1 AND b.job_name = $2 AND b.id < $3 AND b.lifecycle = 'finished'
			AND EXISTS (SELECT 1 FROM pipelines_tests t WHERE t.build_id = b.id)
		ORDER BY b.id DESC LIMIT 1`, b.RepoID, b.JobName, b.ID)
}
