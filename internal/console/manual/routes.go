package manual

import "stoa.dev/stoa/internal/platform/route"

// routes is the table of addresses that doc.go lists.
func (m *Manual) routes() []route.Route {
	return []route.Route{
		{Method: "GET", Pattern: "/docs", Name: "first", Handle: m.handleFirst},
		{Method: "GET", Pattern: "/docs/{path...}", Name: "page", Handle: m.handlePage},
		{Method: "GET", Pattern: "/docs/reference/{service}", Name: "reference", Handle: m.handleReference},
		{
			Method: "GET", Pattern: "/docs/manual.css", Name: "style",
			Handle: m.handleAsset("manual.css", "text/css; charset=utf-8"),
		},
		{
			Method: "GET", Pattern: "/docs/manual.js", Name: "page_script",
			Handle: m.handleAsset("manual.js", "text/javascript; charset=utf-8"),
		},
		{Method: "GET", Pattern: "/docs/search.json", Name: "search", Handle: m.handleSearch},
		{
			Method: "GET", Pattern: "/docs/reference.js", Name: "script",
			Handle: m.handleAsset("reference.js", "text/javascript; charset=utf-8"),
		},
		{
			Method: "GET", Pattern: "/docs/call_code.js", Name: "call_code",
			Handle: m.handleAsset("call_code.js", "text/javascript; charset=utf-8"),
		},
	}
}

func (m *Manual) muxOptions() route.Options {
	o := m.world.RouteOptions(route.Options{Service: Name, WriteError: m.writeError, MaxBody: 1})
	o.FaultRules = nil // a world in which everything fails keeps its documentation
	return o
}
