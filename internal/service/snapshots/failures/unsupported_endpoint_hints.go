package failures

import "strings"

// Elsewhere says what to do instead of the calls that the vendor's clients make
// and that have nothing to stand on here: no dashboards are kept, no monitors
// run, no hosts report themselves, and tags are not billed.
func Elsewhere(path string) string {
	version, rest, _ := strings.Cut(strings.TrimPrefix(path, "/api/"), "/")
	resource, _, _ := strings.Cut(rest, "/")
	if version == "v2" && resource == "metrics" {
		return "; all tags of a metric can be queried here, names are listed by /api/v1/metrics"
	}
	switch resource {
	case "dashboard", "dash", "screen", "notebooks":
		return "; dashboards are not kept here, send the definition of a widget to /api/v1/graph/snapshot"
	case "monitor", "downtime", "slo":
		return "; nothing is watched here, ask for numbers with /api/v1/query or /api/v2/query/scalar"
	case "hosts", "host", "tags":
		return "; hosts are known here as tags of points only, query a metric by {host}"
	case "graph", "snapshot":
		return "; a graph is drawn by /api/v1/graph/snapshot"
	default:
		return ""
	}
}
