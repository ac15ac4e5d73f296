package jobs

// listWidth is how many values an IN list takes. Shorter lists are padded, so
// that each statement has one text and is prepared once.
const listWidth = 32

// The lists themselves, by the number of their first parameter; rows1 is for VALUES.
const (
	from1 = "$1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32"
	from2 = "$2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33"
	rows1 = "($1), ($2), ($3), ($4), ($5), ($6), ($7), ($8), ($9), ($10), ($11), ($12), ($13), ($14), ($15), ($16), ($17), ($18), ($19), ($20), ($21), ($22), ($23), ($24), ($25), ($26), ($27), ($28), ($29), ($30), ($31), ($32)"
	from3 = "$3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34"
)

// pad makes the arguments of a list by repeating the last value, after the
// arguments that come before it.
func pad[T any](values []T, before ...any) []any {
	args := make([]any, 0, len(before)+listWidth)
	args = append(args, before...)
	for i := range listWidth {
		args = append(args, values[min(i, len(values)-1)])
	}
	return args
}
