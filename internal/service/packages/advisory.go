package packages

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/packages/advisory"
	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/document"
)

// GetAdvisory is the document of an advisory, by its id or an alias.
func (s *Service) GetAdvisory(ctx context.Context, id string) ([]byte, error) {
	if !advisory.IsID(id) {
		return nil, errInvalid("the advisory id is not one")
	}
	doc, err := findAdvisory(ctx, s.world.DB, id)
	if missing, err := none(err); missing || err != nil {
		return nil, orNotFound(err, "advisory")
	}
	return doc, nil
}

// storeAdvisories writes advisories, except those that are stored in the same
// or a later state, and marks the versions of every package they name or used
// to name. It tells how many changed.
func (s *Service) storeAdvisories(ctx context.Context, list []*advisory.Advisory) (changed int64, err error) {
	err = s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		changed = 0
		var touched []catalog.PackageKey
		for _, a := range list {
			before, wrote, err := s.storeAdvisory(ctx, tx, a)
			if err != nil {
				return fmt.Errorf("%s: %w", a.ID, err)
			}
			if wrote {
				changed++
				touched = slices.AppendSeq(append(touched, before...), maps.Keys(a.Affected))
			}
		}
		return s.remark(ctx, tx, touched)
	})
	return changed, err
}

// storeAdvisory writes one advisory. before is the packages it used to name.
func (s *Service) storeAdvisory(
	ctx context.Context, tx *database.Tx, a *advisory.Advisory,
) (before []catalog.PackageKey, wrote bool, err error) {
	have, err := advisoryModified(ctx, tx, a.ID)
	missing, err := none(err)
	if err != nil || !missing && !a.After(have) {
		return nil, false, err
	}
	if before, err = affectedPackages(ctx, tx, a.ID); err != nil {
		return nil, false, err
	}
	doc, err := document.Marshal(toAdvisoryJSON(a))
	if err != nil {
		return nil, false, err
	}
	return before, true, putAdvisory(ctx, tx, a, doc)
}

// remark writes the packages again, so that their versions name the
// advisories that now apply.
func (s *Service) remark(ctx context.Context, tx *database.Tx, keys []catalog.PackageKey) error {
	// Always in the same order, so that two imports do not wait for each other.
	slices.SortFunc(keys, func(a, b catalog.PackageKey) int {
		return cmp.Or(cmp.Compare(a.System, b.System), cmp.Compare(a.Name, b.Name))
	})
	for _, k := range slices.Compact(keys) {
		if _, err := findPackage(ctx, tx, k); err != nil {
			if missing, err := none(err); !missing {
				return err
			}
			continue
		}
		if err := s.upsert(ctx, tx, &catalog.Package{Key: k}, origin{}); err != nil {
			return err
		}
	}
	return nil
}

func toAdvisoryJSON(a *advisory.Advisory) advisoryJSON {
	out := advisoryJSON{
		AdvisoryKey: document.ID{ID: a.ID}, URL: a.URL, Title: a.Title,
		Aliases: document.Each(a.Aliases, func(s string) string { return s }), CVSS3Vector: a.CVSS3,
	}
	if score, ok := advisory.Score(a.CVSS3); ok {
		out.CVSS3Score = &score
	}
	return out
}
