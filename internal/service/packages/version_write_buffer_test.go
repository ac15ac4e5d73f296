package packages

import (
	"context"
	"fmt"
	"testing"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
	"stoa.dev/stoa/internal/service/packages/catalog"
)

// TestManyPackagesOfOneTransaction: versions that wait for one another are
// all stored and can all be found, also those of a package that comes twice.
func TestManyPackagesOfOneTransaction(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		s := storeOnly(db)
		var list []catalog.Package
		// 45 versions are statements of 32, 8, 4 and 1 rows.
		for i := range 15 {
			list = append(list, example(fmt.Sprintf("p%d", i), "1.0.0", "1.1.0", "2.0.0"))
		}
		// The list of p3 comes again, without details and with one more.
		short := catalog.Package{Key: list[3].Key}
		for _, v := range []string{"1.0.0", "3.0.0"} {
			short.Versions = append(short.Versions, catalog.Version{Key: short.Key.At(v)})
		}
		list = append(list, short)
		err := db.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
			var w writeBuffer
			for i := range list {
				if err := s.stage(t.Context(), tx, &list[i], origin{}, &w); err != nil {
					return err
				}
			}
			return w.flush(t.Context(), tx)
		})
		if err != nil {
			t.Fatal(err)
		}
		_, n, err := counts(t.Context(), db)
		if err != nil || n != 46 {
			t.Errorf("%d versions, %v, want 46", n, err)
		}
		for i := range 15 {
			for _, v := range list[i].Versions {
				hits, err := versionsByDigest(t.Context(), db, Selection{Hash: v.Artifacts[0].Hashes[0]}, 10)
				if err != nil || len(hits) != 1 || hits[0].key != v.Key {
					t.Errorf("%s by its digest: %v, %v", v.Key, hits, err)
				}
				row, err := findVersion(t.Context(), db, v.Key)
				if err != nil || !row.complete {
					t.Errorf("%s: complete %v, %v", v.Key, row.complete, err)
				}
			}
			of, err := versionsOfProject(t.Context(), db, fmt.Sprintf("github.com/a/p%d", i), 10)
			if err != nil || len(of) != 3 {
				t.Errorf("project of p%d has %d versions, %v", i, len(of), err)
			}
		}
	}, migrations())
}
