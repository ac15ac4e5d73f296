package page

import (
	"context"
	"fmt"

	"stoa.dev/stoa/internal/platform/database"
)

// List reads one page of rows and counts all of them.
func List[T any](ctx context.Context, q database.Querier, scan func(database.Scanner) (T, error), n Numbers,
	columns, from, order string, args ...any,
) ([]T, int64, error) {
	count := func(ctx context.Context) (total int64, err error) {
		err = q.QueryRow(ctx, `SELECT COUNT(*) `+from, args...).Scan(&total)
		return total, err
	}
	return ListCounted(ctx, q, scan, n, count, columns+" "+from+" "+order, args...)
}

// ListCounted is List where the number of all rows is known without looking at each:
// count is asked unless the page itself says where the rows end.
func ListCounted[T any](ctx context.Context, q database.Querier, scan func(database.Scanner) (T, error), n Numbers,
	count func(context.Context) (int64, error), query string, args ...any,
) ([]T, int64, error) {
	sql := fmt.Sprintf("%s LIMIT $%d OFFSET $%d", query, len(args)+1, len(args)+2)
	list, err := database.All(ctx, q, scan, sql, append(args, n.Size, n.Offset())...)
	if err != nil {
		return nil, 0, err
	}
	// A page that is not full, and not empty, is the last.
	if rows := len(list); rows < n.Size && (rows > 0 || n.Page == 1) {
		return list, n.Offset() + int64(rows), nil
	}
	total, err := count(ctx)
	return list, total, err
}
