package rowbatch

import (
	"context"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/platform/database"
)

// maxRows is how many rows share a statement.
const maxRows = 32

// Insert writes rows of so many columns, many to a statement. The number
// of rows in a statement is a power of two, so that few texts stay prepared.
func Insert[T any](
	ctx context.Context, tx *database.Tx, rows []T, columns int, head, tail string, add func([]any, *T) []any,
) error {
	text, size := "", 0
	args := make([]any, 0, columns*min(len(rows), maxRows))
	for n := maxRows; len(rows) > 0; {
		for n > len(rows) {
			n /= 2
		}
		if n != size {
			text, size = head+Marks(tx.Engine(), n, columns)+tail, n
		}
		args = args[:0]
		for i := range rows[:n] {
			args = add(args, &rows[i])
		}
		if _, err := tx.Exec(ctx, text, args...); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}

// Marks is the parameters of some rows: ($1, $2), ($3, $4). SQLite looks a
// numbered parameter up by name, which for many takes longer than the insert;
// without a name it goes by place.
func Marks(engine database.Engine, rows, columns int) string {
	var b strings.Builder
	for i := range rows * columns {
		switch {
		case i == 0:
			b.WriteByte('(')
		case i%columns == 0:
			b.WriteString("), (")
		default:
			b.WriteString(", ")
		}
		if engine == database.SQLite {
			b.WriteByte('?')
		} else {
			b.WriteString("$" + strconv.Itoa(i+1))
		}
	}
	b.WriteByte(')')
	return b.String()
}
