package integrity

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"

	"stoa.dev/stoa/internal/platform/blob"
	"stoa.dev/stoa/internal/platform/module"
)

// blobPage is how many objects are listed at once.
const blobPage = 500

// verifyBlobs reads every object and compares its bytes with what was written.
func verifyBlobs(store blob.Store) module.Verify {
	return func(ctx context.Context, report func(module.Damage)) (looked int, err error) {
		for after := ""; ; {
			page, err := store.List(ctx, "", after, blobPage)
			if err != nil {
				return looked, err
			}
			for _, info := range page {
				detail, err := readBlob(ctx, store, info.Key)
				if err != nil {
					return looked, err
				}
				if detail != "" {
					report(module.Damage{What: "blob " + info.Key, Detail: detail,
						Advice: "copy it from a backup, or delete what it belongs to"})
				}
				after = info.Key
				looked++
			}
			if len(page) < blobPage {
				return looked, nil
			}
		}
	}
}

// readBlob says what is wrong with an object, nothing when it is whole or was deleted
// meanwhile.
func readBlob(ctx context.Context, store blob.Store, key string) (detail string, err error) {
	content, info, err := store.Open(ctx, key)
	switch {
	case errors.Is(err, blob.ErrNotFound):
		return "", nil
	case errors.Is(err, blob.ErrDamaged):
		return err.Error(), nil
	case err != nil:
		return "", err
	}
	defer func() { err = errors.Join(err, content.Close()) }()
	hash := sha256.New()
	n, err := io.Copy(hash, content)
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case errors.Is(err, blob.ErrUnavailable):
		return "", err
	case err != nil:
		return fmt.Sprintf("it cannot be read: %v", err), nil
	case n != info.Size:
		return fmt.Sprintf("it has %d bytes of %d", n, info.Size), nil
	case [32]byte(hash.Sum(nil)) != info.SHA256:
		return "its bytes are not those that were stored", nil
	}
	return "", nil
}
