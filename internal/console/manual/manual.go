package manual

import (
	"io/fs"
	"sync"

	"stoa.dev/stoa/docs"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/world"
)

// Name is the manual's name in log and metrics.
const Name = "manual"

// Manual is the documentation of this binary.
type Manual struct {
	world     *world.World
	modules   []module.Module
	files     fs.FS
	templates func() *templates // parsed when first asked for
	mux       *route.Mux
	// index is what the search reads, made when first asked for.
	index func() ([]byte, error)
	// pages holds a *page per Markdown file, rendered when first asked for.
	pages sync.Map
}

// New prepares the manual. The modules are the services to list; style is the
// address of the console's style sheet, which the pages share.
func New(w *world.World, modules []module.Module, style string) *Manual {
	m := &Manual{
		world: w, modules: modules, files: docs.Files(),
		templates: sync.OnceValue(func() *templates { return newTemplates(style) }),
	}
	m.index = sync.OnceValues(m.searchIndex)
	m.mux = route.New(m.muxOptions(), m.routes())
	return m
}

// Module describes the manual to the app. It has no letter: it is not a service.
func (m *Manual) Module() module.Module {
	return module.Module{
		Name: Name, Title: "Documentation", Prefixes: []string{"/docs"}, Handler: m.mux, Routes: m.mux.Routes(),
	}
}
