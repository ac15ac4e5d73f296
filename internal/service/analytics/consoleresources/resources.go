package consoleresources

import "stoa.dev/stoa/internal/platform/resource"

// All are projects, campaigns with what was measured, and locations.
func All() []resource.Resource {
	return []resource.Resource{projects(), campaigns(), reports(), keywords(), heatmap(), competitors(), locations()}
}

func call(operation string) resource.Call { return resource.Call{Operation: operation} }

func paging() resource.Paging {
	return resource.Paging{Number: "page", Last: "/data/last", Size: "size", Per: 50}
}

func projects() resource.Resource {
	return resource.Resource{
		Name: "projects", Title: "Projects", One: "a project", Empty: "There are no projects yet. Add the first one.",
		About: "Domains that you look after, alone or with others.",
		List:  call("projects.list"), Items: "/data/projects", Get: call("projects.get"), Item: "/data",
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
		About: "How high a business is found on the map, measured at points around it.",
		List:  call("campaigns.list"), Items: "/data/content", Paging: paging(), Get: call("campaigns.get"), Item: "/data",
		Key: []resource.Key{{Parameter: "campaignId", Pointer: "/id"}}, Label: "/name",
		Columns: []resource.Column{
			{Title: "Name", Pointer: "/name"}, {Title: "Status", Pointer: "/status", Kind: resource.State},
			{Title: "Business", Pointer: "/business/name"}, {Title: "Country", Pointer: "/countryCode"},
			{Title: "Points", Pointer: "/pointsNumber", Only: resource.InList},
			{Title: "Keywords", Pointer: "/keywordsNumber", Only: resource.InList},
			{Title: "Made", Pointer: "/createdAt", Kind: resource.Time},
		},
		Actions: []resource.Action{
			{Name: "collect", Title: "Measure now", One: true, Call: call("campaigns.collect")},
			{Name: "delete", Title: "Delete", One: true, Danger: true, Call: call("campaigns.delete")},
		},
	}
}

func reports() resource.Resource {
	return resource.Resource{
		Name: "reports", Title: "Reports", One: "a report", In: "campaigns",
		Empty: "Nothing was measured yet. Go back to the campaign and measure now.",
		List:  call("campaigns.get"), Items: "/data/reportDates", Key: []resource.Key{{Parameter: "reportDate"}},
		Columns: []resource.Column{{Title: "Measured", Kind: resource.Time}},
	}
}

// of is an operation about a keyword of a report.
func of(operation string) resource.Call {
	return resource.Call{
		Operation: operation, Query: map[string]string{"keywordId": "{keywordId}", "reportDate": "{reportDate}"},
	}
}

func keywords() resource.Resource {
	return resource.Resource{
		Name: "keywords", Title: "Keywords", One: "a keyword", In: "reports", Empty: "The campaign has no keywords.",
		List: resource.Call{
			Operation: "campaigns.keywords", Query: map[string]string{"reportDate": "{reportDate}"},
		},
		Items: "/data/keywords", Key: []resource.Key{{Parameter: "keywordId", Pointer: "/keyword/id"}},
		Label: "/keyword/name",
		Columns: []resource.Column{
			{Title: "Keyword", Pointer: "/keyword/name"}, {Title: "Status", Pointer: "/status", Kind: resource.State},
			{Title: "ID", Pointer: "/keyword/id", Kind: resource.Code},
		},
	}
}

func heatmap() resource.Resource {
	return resource.Resource{
		Name: "heatmap", Title: "Heat map", One: "a point", In: "keywords", Empty: "No point was measured.",
		About: "Where the business stands among the places that are found at each point of the map.",
		List:  of("campaigns.heatmap"), Items: "/data/positions",
		Columns: []resource.Column{
			{Title: "Position", Pointer: "/position"}, {Title: "Change", Pointer: "/diff"},
			{Title: "Latitude", Pointer: "/point/coordinates/lat"}, {Title: "Longitude", Pointer: "/point/coordinates/lng"},
		},
		Drawing: &resource.Drawing{Title: "Positions on the map", Points: &resource.Points{
			Latitude: "/point/coordinates/lat", Longitude: "/point/coordinates/lng", Value: "/position",
			Good: 3, Fair: 10, End: 20,
		}},
	}
}

func competitors() resource.Resource {
	return resource.Resource{
		Name: "competitors", Title: "Competitors", One: "a competitor", In: "keywords", Empty: "No competitor was found.",
		List: of("campaigns.topCompetitors"), Items: "/data/competitors/content",
		Paging: resource.Paging{Number: "page", Last: "/data/competitors/last", Size: "size", Per: 50},
		Columns: []resource.Column{
			{Title: "Name", Pointer: "/business/name"}, {Title: "Address", Pointer: "/business/address"},
			{Title: "Average position", Pointer: "/averagePosition"}, {Title: "Share of voice", Pointer: "/shareOfVoice"},
			{Title: "Rating", Pointer: "/business/rating"},
		},
	}
}

func locations() resource.Resource {
	return resource.Resource{
		Name: "locations", Title: "Locations", One: "a location", Empty: "There are no locations yet.",
		About: "The places of your businesses, with their addresses.",
		List:  call("locations.list"), Items: "/data/content", Paging: paging(), Get: call("locations.get"), Item: "/data",
		Key: []resource.Key{{Parameter: "locationId", Pointer: "/id"}}, Label: "/locationName",
		Columns: []resource.Column{
			{Title: "Name", Pointer: "/locationName", Or: "/name"}, {Title: "City", Pointer: "/city"},
			{Title: "Address", Pointer: "/address"}, {Title: "ID", Pointer: "/id", Kind: resource.Code},
		},
	}
}
