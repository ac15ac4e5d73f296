package packages

import (
	"context"
	"strings"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/packages/advisory"
	"stoa.dev/stoa/internal/service/packages/catalog"
)

// maxAdvisoryID bounds an advisory's id.
const maxAdvisoryID = 200

// GetAdvisory is the document of an advisory, by its id or an alias.
func (s *Service) GetAdvisory(ctx context.Context, id string) ([]byte, error) {
	if len(id) > maxAdvisoryID || strings.ContainsRune(id, 0) {
		return nil, errInvalid("the advisory id is not one")
	}
	doc, err := findAdvisory(ctx, s.world.DB, id)
	if missing, err := none(err); missing || err != nil {
		return nil, orNotFound(err, "advisory")
	}
	return doc, nil
}

// storeAdvisory writes an advisory unless the same state of it is stored, and
// marks the versions of every package it names or used to name. It tells
// whether anything changed.
func (s *Service) storeAdvisory(ctx context.Context, a *advisory.Advisory) (changed bool, err error) {
	doc, err := marshal(toAdvisoryJSON(a))
	if err != nil {
		return false, err
	}
	err = s.world.DB.Write(ctx, func(tx *database.Tx) error {
		changed = false
		have, err := advisoryModified(ctx, tx, a.ID)
		missing, err := none(err)
		if err != nil || !missing && have == a.Modified && a.Modified != "" {
			return err
		}
		touched, err := affectedPackages(ctx, tx, a.ID)
		if err != nil {
			return err
		}
		if err := putAdvisory(ctx, tx, a, doc); err != nil {
			return err
		}
		for key := range a.Affected {
			touched = append(touched, key)
		}
		changed = true
		return s.remark(ctx, tx, touched)
	})
	return changed, err
}

// remark writes the packages again, so that their versions name the
// advisories that now apply.
func (s *Service) remark(ctx context.Context, tx *database.Tx, keys []catalog.PackageKey) error {
	done := map[catalog.PackageKey]bool{}
	for _, k := range keys {
		if done[k] {
			continue
		}
		done[k] = true
		if _, err := findPackage(ctx, tx, k); err != nil {
			if missing, err := none(err); !missing {
				return err
			}
			continue
		}
		if err := s.put(ctx, tx, &catalog.Package{Key: k}, origin{}); err != nil {
			return err
		}
	}
	return nil
}

func toAdvisoryJSON(a *advisory.Advisory) advisoryJSON {
	out := advisoryJSON{AdvisoryKey: idJSON{a.ID}, URL: a.URL, Title: a.Title, Aliases: each(a.Aliases, func(s string) string { return s }), CVSS3Vector: a.CVSS3}
	out.CVSS3Score = advisory.Score(a.CVSS3)
	return out
}
