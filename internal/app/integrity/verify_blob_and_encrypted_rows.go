package integrity

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"stoa.dev/stoa/internal/platform/blob"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/world"
)

// rowPage is how many rows are read at once.
const rowPage = 500

// verifyModule looks at what a module keeps beside its rows, at the objects that its rows
// need, and at the values that they hold under the root key.
func verifyModule(w *world.World, m module.Module) module.Verify {
	parts := []module.Verify{}
	if m.Verify != nil {
		parts = append(parts, m.Verify)
	}
	for _, rows := range m.Blobs {
		parts = append(parts, verifyBlobRows(w, rows))
	}
	for _, rows := range m.Sealed {
		parts = append(parts, verifySealedRows(w, rows))
	}
	return func(ctx context.Context, report func(module.Damage)) (looked int, err error) {
		for _, verify := range parts {
			n, err := verify(ctx, report)
			if looked += n; err != nil {
				return looked, err
			}
		}
		return looked, nil
	}
}

// blobRow is a row with what it records of its object.
type blobRow struct {
	id, key string
	size    int64
	sum     string
}

func scanBlobRow(s database.Scanner) (r blobRow, err error) {
	err = s.Scan(&r.id, &r.key, &r.size, &r.sum)
	return r, err
}

// verifyBlobRows looks for rows whose object is not there, or is another one.
func verifyBlobRows(w *world.World, rows module.BlobRows) module.Verify {
	list := func(ctx context.Context, after string, limit int) ([]blobRow, error) {
		args := []any{after, limit}
		if strings.Contains(rows.Query, "$3") {
			args = append(args, database.Time(w.Clock.Now()))
		}
		return database.All(ctx, w.DB, scanBlobRow, rows.Query, args...)
	}
	return func(ctx context.Context, report func(module.Damage)) (looked int, err error) {
		for after := ""; ; {
			page, err := list(ctx, after, rowPage)
			if err != nil {
				return looked, err
			}
			for _, row := range page {
				detail, err := compareBlob(ctx, w.Blobs, row)
				if err == nil && detail != "" {
					detail, err = compareAgain(ctx, w.Blobs, row, func() ([]blobRow, error) { return list(ctx, after, 1) })
				}
				if err != nil {
					return looked, err
				}
				if detail != "" {
					report(module.Damage{What: rows.Kind + " " + row.id, Detail: detail,
						Advice: "copy the object from a backup of the same time, or delete the " + rows.Kind})
				}
				after = row.id
				looked++
			}
			if len(page) < rowPage {
				return looked, nil
			}
		}
	}
}

// compareAgain compares once more, unless the row is gone or another one by now: rows and
// objects are not deleted at one moment.
func compareAgain(
	ctx context.Context, store blob.Store, was blobRow, first func() ([]blobRow, error),
) (detail string, err error) {
	now, err := first()
	if err != nil || len(now) == 0 || now[0] != was {
		return "", err
	}
	return compareBlob(ctx, store, was)
}

// compareBlob says what is wrong with the object of a row. The bytes of objects are read
// by verifyBlobs.
func compareBlob(ctx context.Context, store blob.Store, row blobRow) (detail string, err error) {
	info, err := store.Stat(ctx, row.key)
	switch {
	case errors.Is(err, blob.ErrNotFound):
		return fmt.Sprintf("its object %s is missing", row.key), nil
	case errors.Is(err, blob.ErrDamaged), errors.Is(err, blob.ErrKey):
		return err.Error(), nil
	case err != nil:
		return "", err
	case row.size >= 0 && info.Size != row.size:
		return fmt.Sprintf("its object %s has %d bytes, and %d are recorded", row.key, info.Size, row.size), nil
	case row.sum != "" && hex.EncodeToString(info.SHA256[:]) != row.sum:
		return fmt.Sprintf("its object %s is another one than was recorded", row.key), nil
	}
	return "", nil
}

// sealedRow is a row with the value that it holds.
type sealedRow struct {
	id, place string
	value     []byte
}

func scanSealedRow(s database.Scanner) (r sealedRow, err error) {
	err = s.Scan(&r.id, &r.place, &r.value)
	return r, err
}

// verifySealedRows opens every value.
func verifySealedRows(w *world.World, rows module.SealedRows) module.Verify {
	return func(ctx context.Context, report func(module.Damage)) (looked int, err error) {
		box := w.Seal
		if rows.Purpose != "" {
			box = box.For(rows.Purpose)
		}
		for after := ""; ; {
			page, err := database.All(ctx, w.DB, scanSealedRow, rows.Query, after, rowPage)
			if err != nil {
				return looked, err
			}
			for _, row := range page {
				plain, err := box.Open(row.value, []byte(row.place))
				clear(plain)
				if err != nil {
					report(module.Damage{What: rows.Kind + " " + row.id, Detail: err.Error(), Advice: "restore it from a backup, " +
						"or delete it and make a new one; with many of them, start with the root key that the data was made with"})
				}
				after = row.id
				looked++
			}
			if len(page) < rowPage {
				return looked, nil
			}
		}
	}
}
