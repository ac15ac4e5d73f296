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
		Nodes: document.Each(g.Nodes, func(n graph.Node) nodeJSON {
			return nodeJSON{n.Key, n.Bundled, n.Relation, document.Each(n.Errors, func(e string) string { return e })}
		}),
		Edges: document.Each(g.Edges, func(e graph.Edge) edgeJSON { return edgeJSON{e.From, e.To, e.Requirement} }),
		Error: g.Problem,
	}
}
