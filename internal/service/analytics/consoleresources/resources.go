package consoleresources

import "stoa.dev/stoa/internal/platform/resource"

// All are projects, campaigns with what was measured, and locations.
func All() []resource.Resource {
	return []resource.Resource{projects(), campaigns(), keywords(), competitors(), locations()}
}

func call(operation string) resource.Call { return resource.Call{Operation: operation} }

func projects() resource.Resource {
	return resource.Resource{
		Name: "projects", Title: "Projects", One: "a project", Empty: "There are no projects yet. Add the first one.",
		List: call("projects.list"), Items: "/data/projects", Get: call("projects.get"), Item: "/data",
		Key: []resource.Key{{Parameter: "project_id", Pointer: "/project_id"}}, Label: "/project_name",
		Columns: []resource.Column{
			{Title: "Name", Pointer: "/project_name"}, {Title: "Domain", Pointer: "/url"},
			{Title: "Number", Pointer: "/project_id"}, {Title: "Permission", Pointer: "/permission"},
		},
		Actions: []resource.Action{
			{Name: "add", Title: "Add a project", Call: call("projects.create"), Fields: []resource.Field{
				{Name: "project_name", Title: "Name", Required: true},
				{Name: "url", Title: "Domain", Required: true, Help: "colonnade.example"},
			}},
			{Name: "delete", Title: "Delete", One: true, Danger: true, Call: call("projects.delete")},
		},
	}
}

func campaigns() resource.Resource {
	return resource.Resource{
		Name: "campaigns", Title: "Map campaigns", One: "a campaign",
		Empty: "There are no campaigns yet. Add one by API.",
		List:  call("campaigns.list"), Items: "/data/content", Get: call("campaigns.get"), Item: "/data",
		Key: []resource.Key{{Parameter: "campaignId", Pointer: "/id"}}, Label: "/name",
		Columns: []resource.Column{
			{Title: "Name", Pointer: "/name"}, {Title: "Status", Pointer: "/status", Kind: resource.State},
			{Title: "Business", Pointer: "/business/name"}, {Title: "Country", Pointer: "/countryCode"},
			{Title: "Points", Pointer: "/pointsNumber"}, {Title: "Keywords", Pointer: "/keywordsNumber"},
			{Title: "Made", Pointer: "/createdAt", Kind: resource.Time},
		},
		Actions: []resource.Action{
			{Name: "collect", Title: "Measure now", One: true, Call: call("campaigns.collect")},
			{Name: "delete", Title: "Delete", One: true, Danger: true, Call: call("campaigns.delete")},
		},
	}
}

func keywords() resource.Resource {
	return resource.Resource{
		Name: "keywords", Title: "Keywords", One: "a keyword", In: "campaigns", Empty: "Nothing was measured yet.",
		List: call("campaigns.keywords"), Items: "/data", Key: []resource.Key{{Parameter: "keywordId", Pointer: "/id"}},
		Columns: []resource.Column{
			{Title: "Keyword", Pointer: "/name", Or: "/keyword"},
			{Title: "Average rank", Pointer: "/avgRank", Or: "/averageRank"},
			{Title: "ID", Pointer: "/id", Kind: resource.Code},
		},
	}
}

func competitors() resource.Resource {
	return resource.Resource{
		Name: "competitors", Title: "Competitors", One: "a competitor", In: "keywords", Empty: "Nothing was measured yet.",
		List:  resource.Call{Operation: "campaigns.topCompetitors", Query: map[string]string{"keywordId": "{keywordId}"}},
		Items: "/data",
		Columns: []resource.Column{
			{Title: "Name", Pointer: "/name", Or: "/business/name"},
			{Title: "Address", Pointer: "/address", Or: "/business/address"},
			{Title: "Average rank", Pointer: "/avgRank", Or: "/averageRank"},
		},
	}
}

func locations() resource.Resource {
	return resource.Resource{
		Name: "locations", Title: "Locations", One: "a location", Empty: "There are no locations yet.",
		List: call("locations.list"), Items: "/data/content", Get: call("locations.get"), Item: "/data",
		Key: []resource.Key{{Parameter: "locationId", Pointer: "/id"}}, Label: "/locationName",
		Columns: []resource.Column{
			{Title: "Name", Pointer: "/locationName", Or: "/name"}, {Title: "City", Pointer: "/city"},
			{Title: "Address", Pointer: "/address"}, {Title: "ID", Pointer: "/id", Kind: resource.Code},
		},
	}
}
