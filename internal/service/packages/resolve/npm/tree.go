package npm

import (
	"container/heap"
	"fmt"
	"slices"
	"strings"

	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/resolve/graph"
)

// folder is a package in the tree: its children are its node_modules.
type folder struct {
	name string
	// path is where it stands, in small letters.
	path     string
	key      catalog.VersionKey
	parent   *folder
	children map[string]*folder
	depth    int
	needs    []need
	// maybe are the peers that it can do without.
	maybe              []need
	elsewhere, unknown bool
	// bundled is the name that says where a bundled package is from.
	bundled string
	// users are the folders whose needs this one satisfies, to are what
	// satisfies its own.
	users    []user
	to       map[string]*folder
	problems []string
}

type user struct {
	of   *folder
	need need
}

func (f *folder) add(child *folder) {
	if f.children == nil {
		f.children = map[string]*folder{}
	}
	child.parent, child.depth = f, f.depth+1
	child.path = f.path + "/" + strings.ToLower(child.name)
	f.children[child.name] = child
	for _, packed := range child.children {
		child.add(packed) // it stands where the package does that it came with
	}
}

// find is what a name means in a folder: its own or that of the nearest folder
// above.
func (f *folder) find(name string) *folder {
	for at := f; at != nil; at = at.parent {
		if c := at.children[name]; c != nil {
			return c
		}
	}
	return nil
}

func (f *folder) within(above *folder) bool {
	for at := f; at != nil; at = at.parent {
		if at == above {
			return true
		}
	}
	return false
}

// builder puts the tree together.
type builder struct {
	index *index
	root  *folder
	queue queue
	nodes int
}

// Resolve makes the graph of a package.
func Resolve(l *graph.Lookup, root catalog.VersionKey) (*graph.Graph, error) {
	b := &builder{index: &index{
		look: l, manifests: map[catalog.VersionKey]*manifest{}, picks: map[[2]string]string{}, fits: map[[2]string]bool{},
	}}
	b.root = &folder{to: map[string]*folder{}}
	top, err := b.folder(root.Name, root)
	if err != nil {
		return nil, err
	}
	b.root.add(top)
	heap.Push(&b.queue, top)
	if err := b.peers(top, b.root); err != nil {
		return nil, err
	}
	for len(b.queue) > 0 {
		next := heap.Pop(&b.queue).(*folder)
		for _, n := range next.needs {
			if err := b.satisfy(next, n); err != nil {
				return nil, err
			}
		}
	}
	return b.graph(top), nil
}

// queue holds folders in the order in which they are filled: the higher first,
// then by their paths.
type queue []*folder

func (q queue) Len() int      { return len(q) }
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(f any)   { *q = append(*q, f.(*folder)) }

func (q queue) Less(i, j int) bool {
	if q[i].depth != q[j].depth {
		return q[i].depth < q[j].depth
	}
	return q[i].path < q[j].path
}

func (q *queue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}

// folder makes the folder of a version, with what is bundled in it.
func (b *builder) folder(name string, k catalog.VersionKey) (*folder, error) {
	if b.nodes++; b.nodes > graph.MaxNodes {
		return nil, graph.ErrTooManyNodes
	}
	m, err := b.index.manifest(k)
	if err != nil {
		return nil, err
	}
	f := &folder{
		name: name, key: k, needs: m.needs, maybe: m.maybe,
		unknown: m.unknown, elsewhere: m.elsewhere, to: map[string]*folder{},
	}
	bundles := slices.Clone(m.bundled)
	slices.SortFunc(bundles, func(a, b catalog.NPMBundle) int { return strings.Compare(a.Path, b.Path) })
	for i := range bundles {
		if err := b.bundle(f, &bundles[i]); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// bundle adds a package that is packed inside another.
func (b *builder) bundle(f *folder, packed *catalog.NPMBundle) error {
	parts := strings.Split(strings.Trim("/"+packed.Path, "/"), "node_modules/")
	at, mangled := f, f.key.Name+">"+f.key.Version
	for i, part := range parts {
		name := strings.Trim(part, "/")
		if name == "" {
			continue
		}
		mangled += ">" + name
		if i < len(parts)-1 {
			if at = at.children[name]; at == nil {
				return nil
			}
			continue
		}
		if b.nodes++; b.nodes > graph.MaxNodes {
			return graph.ErrTooManyNodes
		}
		at.add(&folder{
			name: name, bundled: mangled, needs: needsOf(&packed.Dependencies, nil), to: map[string]*folder{},
			key: catalog.VersionKey{System: catalog.NPM, Name: packed.Name, Version: packed.Version},
		})
	}
	return nil
}

// from is where a need is looked up: a peer beside the folder, the rest in it.
func (n need) from(f *folder) *folder {
	if n.peer {
		return f.parent
	}
	return f
}

func (b *builder) admits(f *folder, n need) bool {
	return f.key.Name == n.pkg && b.index.satisfies(f.key.Version, n.spec)
}

// satisfy finds or places what a folder needs.
func (b *builder) satisfy(f *folder, n need) error {
	if f.to[n.name] != nil {
		return nil
	}
	if err := b.index.look.Take(f.depth + 1); err != nil {
		return err
	}
	start := n.from(f)
	if have := start.find(n.name); have != nil && (b.admits(have, n) || n.peer && have.parent == start) {
		// A peer that is there in another version is npm's warning.
		b.use(f, n, have)
		return nil
	}
	if strings.ContainsAny(n.spec, ":/") && !strings.HasPrefix(n.spec, "npm:") {
		f.problem(n, "it is at an address, which is not read")
		return nil
	}
	version, err := b.index.pick(n.pkg, n.spec)
	if err != nil {
		return err
	}
	if version == "" {
		if !n.optional {
			f.problem(n, "no version satisfies it")
		}
		return nil
	}
	placed, err := b.folder(n.name, catalog.VersionKey{System: catalog.NPM, Name: n.pkg, Version: version})
	if err != nil {
		return err
	}
	b.place(start, placed)
	b.use(f, n, placed)
	heap.Push(&b.queue, placed)
	return b.peers(placed, f)
}

func (f *folder) problem(n need, text string) {
	f.problems = append(f.problems, fmt.Sprintf("%s %s: %s", n.name, n.written, text))
}

// use notes what satisfies a need; a bundled package is used with its own.
func (b *builder) use(f *folder, n need, by *folder) {
	f.to[n.name] = by
	by.users = append(by.users, user{f, n})
	if by.bundled != "" && len(by.users) == 1 {
		heap.Push(&b.queue, by)
	}
}

// place puts a folder as high as it may stand: not where another of its name
// is, nor where it would hide one from a folder that needs that, nor where a peer
// of it is there in another version.
func (b *builder) place(start, placed *folder) {
	best := start
	for at := start; at != nil; at = at.parent {
		if !b.may(at, placed) {
			break
		}
		best = at
	}
	best.add(placed)
}

func (b *builder) may(at, placed *folder) bool {
	if at.children[placed.name] != nil {
		return false
	}
	for _, n := range at.needs {
		if n.name == placed.name && !n.peer && !b.admits(placed, n) {
			return false
		}
	}
	if hidden := at.find(placed.name); hidden != nil {
		for _, u := range hidden.users {
			if u.of.within(at) && !b.admits(placed, u.need) {
				return false
			}
		}
	}
	for _, n := range placed.needs {
		if have := at.find(n.name); n.peer && have != nil && !b.admits(have, n) && have.parent == at {
			return false
		}
	}
	return true
}

// peers places the peers of a folder beside it. Where the one that asked for the
// folder needs the same name, what it says goes first.
func (b *builder) peers(f, by *folder) error {
	for _, n := range f.needs {
		if !n.peer || f.parent.find(n.name) != nil {
			continue
		}
		if at := slices.IndexFunc(by.needs, func(m need) bool { return m.name == n.name }); at >= 0 {
			if err := b.satisfy(by, by.needs[at]); err != nil {
				return err
			}
		} else if at := slices.IndexFunc(by.maybe, func(m need) bool { return m.name == n.name }); at >= 0 {
			version, err := b.index.pick(n.pkg, by.maybe[at].spec)
			if err != nil {
				return err
			}
			if version != "" && b.index.satisfies(version, n.spec) {
				n.spec = version
			}
		}
		if err := b.satisfy(f, n); err != nil {
			return err
		}
	}
	return nil
}

// graph is what is reached from the top without packages for other platforms,
// which npm leaves out where they are optional.
func (b *builder) graph(top *folder) *graph.Graph {
	g := &graph.Graph{}
	place := map[*folder]int{top: 0}
	list := []*folder{top}
	for i := 0; i < len(list); i++ {
		f := list[i]
		n := graph.Node{Key: f.key, Bundled: f.bundled != "", Errors: f.problems}
		if f.bundled != "" {
			n.Key.Name = f.bundled
		}
		if f.unknown {
			n.Errors = append(n.Errors, graph.RequirementsUnknown)
		}
		g.Nodes = append(g.Nodes, n)
		for _, need := range f.needs {
			to := f.to[need.name]
			if to == nil || to.elsewhere && need.optional {
				continue
			}
			at, seen := place[to]
			if !seen {
				at = len(list)
				place[to] = at
				list = append(list, to)
			}
			g.Edges = append(g.Edges, graph.Edge{From: i, To: at, Requirement: need.written})
		}
	}
	g.Relate()
	return g
}
