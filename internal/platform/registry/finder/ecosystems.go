package finder

import (
	"context"
	"encoding/xml"
	"strings"
)

func (f *Finder) goSteps() []step {
	list := func(text string) []string { return goProxies(text) }
	return []step{
		func(context.Context) ([]string, string) {
			return goProxies(f.o.Getenv("GOPROXY")), "the environment variable GOPROXY"
		},
		f.file(func(text string) []string {
			return goProxies(setting(text, "GOPROXY"))
		}, f.o.Getenv("GOENV"), f.below("XDG_CONFIG_HOME", "go", "env"), f.home(".config", "go", "env")),
		f.ask(list, "go", "env", "GOPROXY"),
	}
}

// goProxies keeps the proxies of a GOPROXY list; "direct" and "off" are words,
// not addresses.
func goProxies(text string) []string {
	var list []string
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == '|' }) {
		part = strings.TrimSpace(part)
		if strings.HasPrefix(part, "http") {
			list = append(list, part)
		}
	}
	return list
}

func (f *Finder) npmSteps() []step {
	read := func(text string) []string { return one(setting(text, "registry")) }
	return []step{
		f.env("npm_config_registry", "NPM_CONFIG_REGISTRY", "YARN_NPM_REGISTRY_SERVER"),
		f.file(read, f.o.Getenv("NPM_CONFIG_USERCONFIG"), f.home(".npmrc"), "/etc/npmrc", "/usr/local/etc/npmrc"),
		f.ask(webLines, "npm", "config", "get", "registry"),
	}
}

func (f *Finder) pypiSteps() []step {
	read := func(text string) []string { return one(setting(text, "index-url")) }
	// Asking pip for a value that is not set fails; its built-in index is in
	// its own code, which the interpreter that runs pip can be asked for.
	const builtin = "from pip._internal.models.index import PyPI; print(PyPI.simple_url)"
	return []step{
		f.env("PIP_INDEX_URL", "UV_DEFAULT_INDEX", "UV_INDEX_URL"),
		f.file(read, f.o.Getenv("PIP_CONFIG_FILE"), f.below("XDG_CONFIG_HOME", "pip", "pip.conf"),
			f.home(".config", "pip", "pip.conf"), f.home(".pip", "pip.conf"), "/etc/pip.conf"),
		f.ask(webLines, "pip", "config", "get", "global.index-url"),
		f.ask(webLines, "python3", "-c", builtin),
		f.ask(webLines, "python", "-c", builtin),
	}
}

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

// setting finds "key = value" in files of the INI family.
func setting(text, key string) string {
	for line := range strings.Lines(text) {
		name, value, ok := strings.Cut(line, "=")
		if ok && strings.EqualFold(strings.TrimSpace(name), key) {
			return strings.Trim(strings.TrimSpace(value), `"'`)
		}
	}
	return ""
}

// webLines keeps the lines that are web addresses.
func webLines(text string) []string {
	var list []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "http://") || strings.HasPrefix(line, "https://") {
			list = append(list, line)
		}
	}
	return list
}

func one(value string) []string {
	if value == "" {
		return nil
	}
	return []string{value}
}
