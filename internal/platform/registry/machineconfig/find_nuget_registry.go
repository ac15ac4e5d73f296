package machineconfig

import (
	"encoding/xml"
	"strings"
)

func (f *Finder) nugetSteps() []step {
	return []step{
		f.file(nugetSources, f.home(".nuget", "NuGet", "NuGet.Config"), f.home(".config", "NuGet", "NuGet.Config")),
		f.ask(func(text string) []string {
			var list []string
			for line := range strings.Lines(text) {
				// "E https://…": the letter says enabled or disabled.
				if source, ok := strings.CutPrefix(strings.TrimSpace(line), "E "); ok {
					list = append(list, webLines(source)...)
				}
			}
			return list
		}, "dotnet", "nuget", "list", "source", "--format", "Short"),
	}
}

// nugetSources reads the package sources of a NuGet.Config that are addresses;
// folders on disk are sources too, but none to fetch from.
func nugetSources(text string) []string {
	var config struct {
		Sources []struct {
			Value string `xml:"value,attr"`
		} `xml:"packageSources>add"`
	}
	if xml.Unmarshal([]byte(text), &config) != nil {
		return nil
	}
	var list []string
	for _, s := range config.Sources {
		list = append(list, webLines(s.Value)...)
	}
	return list
}
