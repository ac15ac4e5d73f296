package machineconfig

import "strings"

func (f *Finder) gemSteps() []step {
	return []step{
		f.env("BUNDLE_MIRROR__ALL", "RUBYGEMS_HOST"),
		f.file(gemSources, f.o.Getenv("GEMRC"), f.home(".gemrc"), "/etc/gemrc"),
		f.ask(webLines, "gem", "sources", "--list"),
	}
}

// gemSources reads the list under ":sources:" of a gemrc, which is YAML with
// symbols for keys.
func gemSources(text string) []string {
	var list []string
	inside := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if inside && strings.HasPrefix(line, "- ") {
			list = append(list, webLines(strings.Trim(line[2:], `"' `))...)
			continue
		}
		inside = line == ":sources:" || line == "sources:"
	}
	return list
}
