package packages

import (
	"bytes"
	"context"

	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/document"
)

// project is what is known of a project: what its packages say about it.
type project struct {
	id       string
	license  string
	homepage string
}

// GetProject describes a project that a known package belongs to. Projects
// without one are not known, by the contract's rule of coverage.
func (s *Service) GetProject(ctx context.Context, id string) (project, error) {
	list, err := s.projectVersions(ctx, id, maxProjectResults)
	if err != nil {
		return project{}, err
	}
	return describe(list)
}

// isDefault stands in the document of a default version.
const isDefault = `"isDefault":true`

// describe takes the license and the homepage of a project from the versions that
// are installed when none is named.
func describe(list []projectRow) (project, error) {
	p := project{id: list[0].project}
	for i := len(list) - 1; i >= 0; i-- {
		if !bytes.Contains(list[i].doc.All, []byte(isDefault)) && len(list) > 1 {
			continue
		}
		v, err := document.Decode(list[i].doc)
		if err != nil {
			return p, err
		}
		if p.license == "" && len(v.Licenses) == 1 && v.Default {
			p.license = v.Licenses[0].SPDX
		}
		for _, l := range v.Links {
			if l.Label == catalog.LabelHome && p.homepage == "" {
				p.homepage = l.URL
			}
		}
	}
	return p, nil
}

// GetProjectPackageVersions are the versions that belong to a project; those
// that an attestation proves come first.
func (s *Service) GetProjectPackageVersions(ctx context.Context, id string) ([]projectRow, error) {
	return s.projectVersions(ctx, id, maxProjectResults)
}

func (s *Service) projectVersions(ctx context.Context, id string, most int) ([]projectRow, error) {
	canonical, ok := catalog.ProjectID(id)
	if !ok {
		return nil, errProjectID(id)
	}
	list, err := versionsOfProject(ctx, s.world.DB, canonical, most)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, errNotFound("project")
	}
	return list, nil
}

func errProjectID(id string) *Error {
	return errInvalid("the project id %q is not of the form host/user/repository with a supported host", id)
}
