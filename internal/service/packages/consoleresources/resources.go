package consoleresources

import "stoa.dev/stoa/internal/platform/resource"

// All are the versions of a package, what they need, and advisories.
func All() []resource.Resource {
	return []resource.Resource{versions(), dependencies(), advisory(), status()}
}

func versions() resource.Resource {
	return resource.Resource{
		Name: "versions", Title: "Packages", One: "a version", Empty: "The package has no versions.",
		About: "Type the system and the name of a package to see its versions.",
		List:  resource.Call{Operation: "GetPackage"}, Items: "/versions", Get: resource.Call{Operation: "GetVersion"},
		Filters: []resource.Field{
			{Name: "system", Title: "System", Kind: resource.Choice, Required: true, In: resource.InPath,
				Options: []string{"npm", "go", "pypi", "cargo", "maven", "nuget", "rubygems"}},
			{Name: "name", Title: "Package", Required: true, In: resource.InPath, Help: "@stoa/colonnade"},
		},
		Key: []resource.Key{
			{Parameter: "system", Pointer: "/versionKey/system"}, {Parameter: "name", Pointer: "/versionKey/name"},
			{Parameter: "version", Pointer: "/versionKey/version"},
		},
		Columns: []resource.Column{
			{Title: "Version", Pointer: "/versionKey/version"}, {Title: "Package", Pointer: "/versionKey/name"},
			{Title: "Published", Pointer: "/publishedAt", Kind: resource.Time},
			{Title: "Default", Pointer: "/isDefault", Kind: resource.Bool}, {Title: "Licenses", Pointer: "/licenses"},
			{Title: "Advisories", Pointer: "/advisoryKeys"},
		},
	}
}

func dependencies() resource.Resource {
	return resource.Resource{
		Name: "dependencies", Title: "Dependencies", One: "a dependency", In: "versions",
		Empty: "It needs no other package.",
		List:  resource.Call{Operation: "GetDependencies"}, Items: "/nodes",
		Key: []resource.Key{{Parameter: "needed", Pointer: "/versionKey/name"}},
		Columns: []resource.Column{
			{Title: "Package", Pointer: "/versionKey/name"}, {Title: "Version", Pointer: "/versionKey/version"},
			{Title: "Relation", Pointer: "/relation"}, {Title: "Errors", Pointer: "/errors"},
		},
		Lookup: &resource.Lookup{
			Call: resource.Call{Operation: "GetVersionBatch"}, Requests: "requests", Member: "versionKey", Row: "/versionKey",
			Answers: "/responses", Found: resource.Column{Title: "Advisories", Pointer: "/version/advisoryKeys"},
		},
		Drawing: &resource.Drawing{Title: "What the version needs", Needs: &resource.Needs{
			Edges: "/edges", From: "/fromNode", To: "/toNode", Name: "/versionKey/name", Version: "/versionKey/version",
			Mark: resource.Looked, One: "package", Many: "packages", Marked: "with an advisory",
		}},
	}
}

func advisory() resource.Resource {
	return resource.Resource{
		Name: "advisory", Title: "Advisories", One: "an advisory", Single: true,
		About: "Type the id of a security advisory.", List: resource.Call{Operation: "GetAdvisory"},
		Filters: []resource.Field{{Name: "id", Title: "Advisory", Required: true, In: resource.InPath, Help: "GHSA-…"}},
		Columns: []resource.Column{
			{Title: "Title", Pointer: "/title"}, {Title: "Aliases", Pointer: "/aliases"},
			{Title: "Score", Pointer: "/cvss3Score"}, {Title: "Address", Pointer: "/url", Kind: resource.Link},
		},
	}
}

func status() resource.Resource {
	return resource.Resource{
		Name: "stored", Title: "What is stored", One: "the store", Single: true, Admin: true,
		About: "How many packages and versions this server holds.",
		List:  resource.Call{Command: "packages status"},
		Columns: []resource.Column{
			{Title: "Packages", Pointer: "/packages"}, {Title: "Versions", Pointer: "/versions"},
			{Title: "Being fetched", Pointer: "/fetches"},
		},
	}
}
