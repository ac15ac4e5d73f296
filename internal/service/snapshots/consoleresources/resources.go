package consoleresources

import "stoa.dev/stoa/internal/platform/resource"

// All are metrics with graphs, and events.
func All() []resource.Resource { return []resource.Resource{metrics(), events()} }

func call(operation string) resource.Call { return resource.Call{Operation: operation} }

func metrics() resource.Resource {
	return resource.Resource{
		Name: "metrics", Title: "Metrics", One: "a metric", Empty: "No metric was sent since then. Send one by API.",
		About: "Metrics that had points since the time.",
		List:  call("metrics.list"), Items: "/metrics", Get: call("metrics.get"),
		Filters: []resource.Field{{Name: "from", Title: "Since", Kind: resource.Unix, Required: true, Default: "now-24h"}},
		Key:     []resource.Key{{Parameter: "metric", Pointer: ""}},
		Columns: []resource.Column{
			{Title: "Metric", Pointer: "", Only: resource.InList}, {Title: "Type", Pointer: "/type", Only: resource.InItem},
			{Title: "Unit", Pointer: "/unit", Only: resource.InItem},
			{Title: "Description", Pointer: "/description", Only: resource.InItem},
		},
		Actions: []resource.Action{
			{Name: "draw", Title: "Draw a graph", Shows: true, Picture: "/snapshot_url", Call: call("graph.snapshot"),
				Graph: &resource.Graph{
					Query: "metric_query", Start: "start", End: "end", Title: "title", Example: "avg:system.cpu.user{*} by {host}",
				},
				Fields: []resource.Field{
					{Name: "metric_query", Title: "Query", In: resource.InQuery, Required: true,
						Default: "avg:system.cpu.user{*} by {host}"},
					{Name: "start", Title: "From", Kind: resource.Unix, In: resource.InQuery, Required: true, Default: "now-24h"},
					{Name: "end", Title: "Until", Kind: resource.Unix, In: resource.InQuery, Required: true, Default: "now"},
					{Name: "title", Title: "Title", In: resource.InQuery},
				}},
			{Name: "edit", Title: "Describe", One: true, Edit: true, Call: call("metrics.update"), Fields: []resource.Field{
				{Name: "description", Title: "Description"}, {Name: "unit", Title: "Unit"},
			}},
		},
	}
}

func events() resource.Resource {
	return resource.Resource{
		Name: "events", Title: "Events", One: "an event", Empty: "No event in this time. Add one.",
		About: "What happened at a time, such as a release. Graphs can mark it.",
		List:  call("events.list"), Items: "/events", Get: call("events.get"), Item: "/event",
		Filters: []resource.Field{
			{Name: "start", Title: "From", Kind: resource.Unix, Required: true, Default: "now-168h"},
			{Name: "end", Title: "Until", Kind: resource.Unix, Required: true, Default: "now+1h"},
		},
		Key: []resource.Key{{Parameter: "id", Pointer: "/id"}}, Label: "/title",
		Columns: []resource.Column{
			{Title: "Title", Pointer: "/title"}, {Title: "Text", Pointer: "/text"}, {Title: "Tags", Pointer: "/tags"},
			{Title: "Time", Pointer: "/date_happened", Kind: resource.Unix},
		},
		Actions: []resource.Action{
			{Name: "add", Title: "Add an event", Call: call("events.create"), Fields: []resource.Field{
				{Name: "title", Title: "Title", Required: true},
				{Name: "text", Title: "Text", Kind: resource.Multiline, Required: true},
				{Name: "tags", Title: "Tags", Kind: resource.Lines},
			}},
		},
	}
}
