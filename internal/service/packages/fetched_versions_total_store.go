package packages

import (
	"context"
	"fmt"

	"stoa.dev/stoa/internal/platform/database"
)

// countFetched notes versions that are stored because a caller asked, and
// refuses them when the store has taken up as many as it may.
func countFetched(ctx context.Context, tx *database.Tx, n, most int64) error {
	result, err := tx.Exec(ctx,
		`UPDATE packages_fetched SET versions = versions + $1 WHERE id = 1 AND versions + $1 <= $2`, n, most)
	if err != nil || result.RowsAffected == 1 {
		return err
	}
	return &Error{Code: CodeUnavailable, refused: true, Message: fmt.Sprintf(
		"the package is not in the store, and the store has taken up the %d versions that callers may have fetched: an operator can import it or raise packages.max_fetched", most)}
}
