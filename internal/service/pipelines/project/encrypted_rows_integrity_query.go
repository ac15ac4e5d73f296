package project

import "stoa.dev/stoa/internal/platform/module"

// SealedRows are the rows that hold secrets of projects.
func SealedRows(service string) []module.SealedRows {
	return []module.SealedRows{
		{Kind: "variable", Purpose: service, Query: `
			SELECT repo_id || '/' || name, repo_id || '/' || name, sealed FROM pipelines_envvars
			WHERE repo_id || '/' || name > $1 ORDER BY repo_id || '/' || name LIMIT $2`},
		{Kind: "checkout or host key", Purpose: service, Query: `
			SELECT CAST(id AS TEXT), repo_id || '/key/' || sha256, sealed FROM pipelines_keys
			WHERE CAST(id AS TEXT) > $1 ORDER BY CAST(id AS TEXT) LIMIT $2`},
		{Kind: "webhooks of project", Purpose: service, Query: `
			SELECT CAST(repo_id AS TEXT), repo_id || '/webhooks', webhooks FROM pipelines_projects
			WHERE length(webhooks) > 0 AND CAST(repo_id AS TEXT) > $1 ORDER BY CAST(repo_id AS TEXT) LIMIT $2`},
	}
}
