package locks

import (
	"context"
	"hash/fnv"
	"slices"

	"stoa.dev/stoa/internal/platform/database"
)

// laneBuckets is the number of rows in stoa_job_lanes.
const laneBuckets = 1024

// Lanes makes sure that, on PostgreSQL, no other transaction changes the
// order of these lanes until this one ends, and that this one sees what those
// before it did. It must be READ COMMITTED for that. SQLite has one writer.
func Lanes(ctx context.Context, tx *database.Tx, keys []string) error {
	if tx.Engine() != database.Postgres {
		return nil
	}
	buckets := make([]int64, 0, len(keys))
	for _, key := range keys {
		h := fnv.New32a()
		_, _ = h.Write([]byte(key)) // never fails
		buckets = append(buckets, int64(h.Sum32()%laneBuckets))
	}
	// One order for all: no two wait for each other.
	slices.Sort(buckets)
	for _, part := range database.Chunks(slices.Compact(buckets)) {
		_, err := database.All(ctx, tx, scanBucket, `
			SELECT bucket FROM stoa_job_lanes WHERE bucket IN (`+database.Placeholders(1, len(part))+`) ORDER BY bucket FOR UPDATE`, part...)
		if err != nil {
			return err
		}
	}
	return nil
}

func scanBucket(s database.Scanner) (bucket int64, err error) {
	err = s.Scan(&bucket)
	return bucket, err
}

// ownerBuckets is the number of rows in stoa_job_owners.
const ownerBuckets = 1024

// Owner makes others that add jobs of the owner and kind wait, on PostgreSQL,
// for the end of this transaction. It writes instead of only locking: a
// SERIALIZABLE transaction, which counts what it saw when it began, is then run
// again when another one has added a job since. SQLite has one writer.
func Owner(ctx context.Context, tx *database.Tx, kind, owner string) error {
	if tx.Engine() != database.Postgres {
		return nil
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(kind + "\x00" + owner)) // never fails
	_, err := tx.Exec(ctx, `UPDATE stoa_job_owners SET entered = entered + 1 WHERE bucket = $1`,
		int64(h.Sum32()%ownerBuckets))
	return err
}
