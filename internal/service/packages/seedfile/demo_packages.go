package seedfile

import (
	"time"

	"stoa.dev/stoa/internal/service/packages/catalog"
)

// Demo are a few made-up packages.
func Demo() []catalog.Package {
	column := catalog.PackageKey{System: catalog.NPM, Name: "@stoa/column"}
	colonnade := catalog.PackageKey{System: catalog.NPM, Name: "@stoa/colonnade"}
	module := catalog.PackageKey{System: catalog.Go, Name: "example.com/stoa/column"}
	return []catalog.Package{
		{
			Key: column, Tag: "2.0.0",
			Versions: []catalog.Version{demoVersion(column, "1.0.0", 1, nil), demoVersion(column, "2.0.0", 9, nil)},
		},
		{Key: colonnade, Tag: "1.2.0", Versions: []catalog.Version{
			demoVersion(colonnade, "1.2.0", 12, []catalog.Requirement{{Name: column.Name, Requirement: "^2.0.0"}}),
			demoVersion(colonnade, "2.0.0-rc.1", 20, []catalog.Requirement{{Name: column.Name, Requirement: "^2.0.0"}}),
		}},
		{Key: module, Versions: []catalog.Version{demoVersion(module, "v1.0.0", 3, nil)}},
	}
}

func demoVersion(k catalog.PackageKey, version string, day int, needs []catalog.Requirement) catalog.Version {
	v := catalog.Version{
		Key: k.At(version), Published: time.Date(2026, time.January, day, 12, 0, 0, 0, time.UTC), Complete: true,
		Licenses: catalog.Licenses("Apache-2.0"),
		Links:    []catalog.Link{{Label: catalog.LabelHome, URL: "https://example.com/stoa"}},
		Upstream: []catalog.Upstream{{Name: k.Name, Version: version, Source: demoSource}},
	}
	if k.System == catalog.NPM {
		v.Requires = npm(needs)
	}
	return v
}
