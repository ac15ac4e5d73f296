package packages

import (
	"bytes"
	"context"
	"fmt"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/registry"
	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/source"
)

// readDigests fetches the files of a version of which not all digests are known. A
// file that does not have the digest that its registry told is an error.
func (s *Service) readDigests(ctx context.Context, k catalog.VersionKey) error {
	row, err := findVersionRow(ctx, s.world.DB, k)
	if err != nil {
		return err
	}
	v, err := row.decode()
	if err != nil {
		return err
	}
	read := 0
	for i := range v.Artifacts {
		a := &v.Artifacts[i]
		if len(a.Hashes) >= len(catalog.HashTypes()) {
			continue
		}
		read++
		if err := s.fetch(ctx, "file "+a.URL, k.Package(), func(ctx context.Context) error {
			return s.readDigest(ctx, a)
		}); err != nil {
			return fmt.Errorf("%s: %w", a.URL, err)
		}
	}
	if read == 0 {
		return nil
	}
	return s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		return s.upsert(ctx, tx, &catalog.Package{Key: k.Package(), Versions: []catalog.Version{*v}}, origin{})
	})
}

func (s *Service) readDigest(ctx context.Context, a *catalog.Artifact) error {
	res, err := s.sources.client.Get(ctx, registry.Request{URL: a.URL})
	if err != nil {
		return err
	}
	found := source.AllHashes(nil, res.Body)
	for _, told := range a.Hashes {
		for _, is := range found {
			if told.Type == is.Type && !bytes.Equal(told.Digest, is.Digest) {
				return fmt.Errorf("the file does not have the %s that its registry tells", told.Type)
			}
		}
	}
	a.Hashes = found
	return nil
}
