package dump

import (
	"bufio"
	"context"
	"io"

	"stoa.dev/stoa/internal/platform/database"
)

// Write writes every row of a table, a line of JSON each, and counts them.
func Write(ctx context.Context, tx *database.Tx, table string, to io.Writer) (n int64, err error) {
	rows, err := tx.Query(ctx, `SELECT row_to_json(t)::text FROM `+quoted(table)+` t`)
	if err != nil {
		return 0, err
	}
	defer func() { err = join(err, rows.Close()) }()
	out := bufio.NewWriterSize(to, 1<<16)
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			return n, err
		}
		if _, err := out.WriteString(line + "\n"); err != nil {
			return n, err
		}
		n++
	}
	return n, join(rows.Err(), out.Flush())
}
