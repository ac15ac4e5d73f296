package packages

import (
	"time"

	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/service/packages/document"
)

// Above the largest batch body: 5000 keys of ordinary length.
const maxBatchBody = 8 << 20

// graphTime is how long a graph may take that needs many fetches.
const graphTime = 2 * time.Minute

// routes is the operation table of the contract: what both API versions have,
// then what only the earlier-stage one has. No operation asks for a credential.
func (s *Service) routes() []route.Route {
	var all []route.Route
	for _, e := range []document.Edition{document.V3, document.V3Alpha} {
		at := e.Prefix()
		all = append(all,
			route.Route{
				Method: "GET", Pattern: at + "/systems/{system}/packages/{name}", Name: "GetPackage",
				Handle: s.handleGetPackage(e),
			},
			route.Route{
				Method: "GET", Pattern: at + "/systems/{system}/packages/{name}/versions/{version}", Name: "GetVersion",
				Handle: s.handleGetVersion(e),
			},
			route.Route{
				Method: "GET", Pattern: at + "/systems/{system}/packages/{name}/versions/{version}:requirements",
				Name: "GetRequirements", Handle: s.handleGetRequirements,
			},
			route.Route{
				Method: "GET", Pattern: at + "/systems/{system}/packages/{name}/versions/{version}:dependencies",
				Name: "GetDependencies", Timeout: graphTime, Handle: s.handleGetDependencies,
			},
			route.Route{Method: "GET", Pattern: at + "/projects/{id}", Name: "GetProject", Handle: s.handleGetProject},
			route.Route{
				Method: "GET", Pattern: at + "/projects/{id}:packageversions", Name: "GetProjectPackageVersions",
				Handle: s.handleGetProjectPackageVersions,
			},
			route.Route{
				Method: "GET", Pattern: at + "/advisories/{id}", Name: "GetAdvisory", Handle: s.handleGetAdvisory,
			},
		)
		// The public API has it in both versions, the contract in the earlier-stage one.
		if e == document.V3Alpha || s.world.Dialect.SDK() {
			all = append(all, route.Route{Method: "GET", Pattern: at + "/query", Name: "Query", Handle: s.handleQuery(e)})
		}
	}
	return append(all,
		route.Route{
			Method: "POST", Pattern: "/v3alpha/versionbatch", Name: "GetVersionBatch", MaxBody: maxBatchBody,
			Handle: s.handleGetVersionBatch,
		},
		route.Route{
			Method: "POST", Pattern: "/v3alpha/projectbatch", Name: "GetProjectBatch", MaxBody: maxBatchBody,
			Handle: s.handleGetProjectBatch,
		},
		route.Route{Method: "GET", Pattern: "/v3alpha/purl/{purl}", Name: "PurlLookup", Handle: s.handlePurlLookup},
		route.Route{
			Method: "POST", Pattern: "/v3alpha/purlbatch", Name: "PurlLookupBatch", MaxBody: maxBatchBody,
			Handle: s.handlePurlLookupBatch,
		},
		route.Route{
			Method: "GET", Pattern: "/v3alpha/systems/{system}/packages/{name}/versions/{version}:dependents",
			Name: "GetDependents", Handle: s.handleGetDependents,
		},
		route.Route{
			Method: "GET", Pattern: "/v3alpha/systems/{system}/packages/{name}:similarlyNamedPackages",
			Name: "GetSimilarlyNamedPackages", Handle: s.handleGetSimilarlyNamedPackages,
		},
	)
}

func (s *Service) muxOptions() route.Options {
	return s.world.RouteOptions(route.Options{
		Service:    Name,
		WriteError: writeError,
		Before:     common,
		CORS:       &route.CORS{},
	})
}
