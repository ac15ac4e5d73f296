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
