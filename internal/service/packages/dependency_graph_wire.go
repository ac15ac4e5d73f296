package packages

import (
	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/document"
	"stoa.dev/stoa/internal/service/packages/resolve/graph"
)

// The shape of a resolved graph.
type (
	dependenciesJSON struct {
		Nodes []nodeJSON `json:"nodes"`
		Edges []edgeJSON `json:"edges"`
		Error string     `json:"error"`
	}
	nodeJSON struct {
		VersionKey catalog.VersionKey `json:"versionKey"`
		Bundled    bool               `json:"bundled"`
		Relation   graph.Relation     `json:"relation"`
		Errors     []string           `json:"errors"`
	}
	edgeJSON struct {
		FromNode    int    `json:"fromNode"`
		ToNode      int    `json:"toNode"`
		Requirement string `json:"requirement"`
	}
)

func toDependenciesJSON(g *graph.Graph) dependenciesJSON {
	return dependenciesJSON{
		Nodes: document.Convert(g.Nodes, func(n graph.Node) nodeJSON {
			return nodeJSON{n.Key, n.Bundled, n.Relation, document.Convert(n.Errors, func(e string) string { return e })}
		}),
		Edges: document.Convert(g.Edges, func(e graph.Edge) edgeJSON { return edgeJSON{e.From, e.To, e.Requirement} }),
		Error: g.Problem,
	}
}

type dependentsJSON struct {
	DependentCount         *int64 `json:"dependentCount,omitempty"`
	DirectDependentCount   *int64 `json:"directDependentCount,omitempty"`
	IndirectDependentCount *int64 `json:"indirectDependentCount,omitempty"`
}

// toDependentsJSON prints what the graphs resolved here tell. Where none of them
// holds the version nothing is known of its dependents.
func toDependentsJSON(direct, indirect int64) dependentsJSON {
	all := direct + indirect
	if all == 0 {
		return dependentsJSON{}
	}
	return dependentsJSON{DependentCount: &all, DirectDependentCount: &direct, IndirectDependentCount: &indirect}
}
