package machineconfig

import (
	"context"
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
