package packages

import (
	"context"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/document"
)

// projectRow is one version that belongs to a project.
type projectRow struct {
	project    string
	relation   catalog.RelationType
	provenance catalog.Provenance
	doc        document.Version
}

func versionsOfProject(ctx context.Context, q database.Querier, id string, most int) ([]projectRow, error) {
	return database.All(ctx, q, func(s database.Scanner) (r projectRow, err error) {
		err = s.Scan(&r.project, &r.relation, &r.provenance, &r.doc.All, &r.doc.Cut)
		return r, err
	}, `
		SELECT j.project, j.relation, j.provenance, v.doc, v.cut
		FROM packages_project j JOIN packages_version v ON v.package_id = j.package_id AND v.version = j.version
		WHERE j.project = $1 ORDER BY j.rank, j.package_id, j.version, j.relation LIMIT $2`, id, most)
}
