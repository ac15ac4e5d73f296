package pypi

import (
	"errors"
	"slices"
	"strings"

	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/resolve/graph"
)

// requirement is what a candidate needs, or the root.
type requirement struct {
	// id is the name, with the extras in brackets if there are any: an
	// environment with extras is something to resolve of its own.
	id, name string
	extras   []string
	specs    []specifier
	// exact is the version that a candidate with extras needs of itself.
	exact string
	text  string
}

func (r *requirement) admits(c *candidate) bool {
	if r.exact != "" {
		return c.version.text == r.exact
	}
	return allMatch(r.specs, c.version)
}

// candidate is one version, with extras.
type candidate struct {
	id, name string
	extras   []string
	version  *version
}

func (c *candidate) key() catalog.VersionKey {
	return catalog.VersionKey{System: catalog.PyPI, Name: c.name, Version: c.version.text}
}

// identify is the name of a requirement in a resolution.
func identify(name string, extras []string) string {
	if len(extras) == 0 {
		return name
	}
	return name + "[" + strings.Join(extras, ",") + "]"
}

// provider knows the index: which versions there are and what they need.
type provider struct {
	lookup *graph.Lookup
	target
	lists map[string]*project
	needs map[string]*needs
	// pinned is the root's version, which is taken even if it is withdrawn.
	pinned map[string]string
}

// project is the versions of a name, newest first.
type project struct {
	versions []*version
	yanked   []bool
	// fits remembers which versions can be installed.
	fits []verdict
	// unknown means that the index does not have the name, or was not asked yet.
	unknown bool
}

type verdict byte

const (
	unseen verdict = iota
	fitting
	unfit
)

// needs is what a candidate needs and what cannot be known of that.
type needs struct {
	list     []*requirement
	problems []string
	// python is set when the metadata excludes the Python version.
	python bool
}

func newProvider(l *graph.Lookup, t *target) *provider {
	return &provider{
		lookup: l, target: *t, lists: map[string]*project{}, needs: map[string]*needs{}, pinned: map[string]string{},
	}
}

func (p *provider) project(name string) (*project, error) {
	if have := p.lists[name]; have != nil {
		return have, nil
	}
	list, err := p.lookup.Versions(catalog.PackageKey{System: catalog.PyPI, Name: name})
	if errors.Is(err, graph.ErrNotFound) {
		p.lists[name] = &project{unknown: true}
		return p.lists[name], nil
	}
	if err != nil {
		return nil, err
	}
	if err := p.lookup.SpendSteps(len(list)); err != nil {
		return nil, err
	}
	out := &project{}
	for _, l := range slices.Backward(list) {
		v, err := parseVersion(l.Key.Version)
		if err != nil {
			continue
		}
		out.versions, out.yanked = append(out.versions, &v), append(out.yanked, l.Withdrawn)
	}
	out.fits = make([]verdict, len(out.versions))
	p.lists[name] = out
	return out, nil
}

// installs reports whether a version can be installed here.
func (p *provider) installs(name string, pr *project, i int) (bool, error) {
	if pr.fits[i] == unseen {
		f, err := p.lookup.Files(catalog.VersionKey{
			System: catalog.PyPI, Name: name, Version: pr.versions[i].text,
		})
		if err != nil && !errors.Is(err, graph.ErrNotFound) {
			return false, err
		}
		pr.fits[i] = unfit
		if (len(f.Names) == 0 || p.installable(f.Names)) && p.admitsPython(f.Python) {
			pr.fits[i] = fitting
		}
	}
	return pr.fits[i] == fitting, nil
}

// admitsPython reports whether a Requires-Python lets the Python version in.
// One that cannot be read excludes nothing, as with pip.
func (p *provider) admitsPython(spec string) bool {
	list, err := parseSpecifiers(spec)
	return err != nil || allMatch(list, &p.python)
}

// search is the candidates of a criterion, found one after the other.
type search struct {
	name    string
	reqs    []*requirement
	specs   []specifier
	without map[string]bool
	// pre and yanked are whether such versions count.
	pre, yanked bool
}

// next finds the newest version at or after a place that all requirements
// admit; -1 when there is none.
func (p *provider) next(pr *project, s *search, from int) (int, error) {
	for i := from; i < len(pr.versions); i++ {
		v := pr.versions[i]
		if err := p.lookup.SpendSteps(1 + len(s.reqs)); err != nil {
			return 0, err
		}
		if s.without[v.text] || pr.yanked[i] && !s.yanked || v.isPre() && !s.pre || !allMatch(s.specs, v) {
			continue
		}
		if slices.ContainsFunc(s.reqs, func(r *requirement) bool { return r.exact != "" && r.exact != v.text }) {
			continue
		}
		fits, err := p.installs(s.name, pr, i)
		if err != nil {
			return 0, err
		}
		if fits || p.pinned[s.name] == v.text {
			return i, nil
		}
	}
	return -1, nil
}

// find is where the candidates of a name begin. Pre-releases are looked at
// where a clause names one, or where there is no clause and nothing else, and
// yanked versions where one is pinned and nothing else matches.
func (p *provider) find(pr *project, name string, reqs []*requirement, without map[string]bool) (*search, int, error) {
	s := &search{name: name, reqs: reqs, without: without}
	exact := false
	for _, r := range reqs {
		s.specs = append(s.specs, r.specs...)
		exact = exact || r.exact != ""
	}
	pins := exact || slices.ContainsFunc(s.specs, func(s specifier) bool {
		return s.op == "===" || s.op == "==" && !s.wild
	})
	s.pre = exact || admitsPre(s.specs)
	for {
		at, err := p.next(pr, s, 0)
		if err != nil || at >= 0 {
			return s, at, err
		}
		switch {
		case !s.pre && len(s.specs) == 0:
			s.pre = true
		case !s.yanked && pins:
			s.yanked = true
		default:
			return s, -1, nil
		}
	}
}

// dependencies are what a candidate needs: its requirements whose markers hold,
// and without its extras itself.
func (p *provider) dependencies(c *candidate) (*needs, error) {
	key := c.id + " " + c.version.text
	if have := p.needs[key]; have != nil {
		return have, nil
	}
	n, err := p.read(c)
	if err != nil {
		return nil, err
	}
	p.needs[key] = n
	return n, nil
}

func (p *provider) read(c *candidate) (*needs, error) {
	n := &needs{}
	if len(c.extras) > 0 {
		n.list = append(n.list, &requirement{id: c.name, name: c.name, exact: c.version.text})
	}
	declared, err := p.lookup.Requirements(c.key())
	if errors.Is(err, graph.ErrNotFound) || err == nil && declared.PyPI == nil {
		n.problems = append(n.problems, graph.RequirementsUnknown)
		return n, nil
	}
	if err != nil {
		return nil, err
	}
	if declared.PyPI.Unknown != "" {
		n.problems = append(n.problems, graph.RequirementsUnknown+": "+declared.PyPI.Unknown)
	}
	n.python = !p.admitsPython(declared.PyPI.Python)
	for i := range declared.PyPI.Dependencies {
		if err := p.lookup.SpendSteps(1); err != nil {
			return nil, err
		}
		if err := p.add(n, c, &declared.PyPI.Dependencies[i]); err != nil {
			return nil, err
		}
	}
	return n, nil
}

// add adds one declared requirement if its marker holds.
func (p *provider) add(n *needs, c *candidate, d *catalog.PyPIRequirement) error {
	written := strings.TrimSpace(d.Name + " " + d.Specifier)
	holds, err := p.env.holds(d.Marker, c.extras)
	if err != nil {
		n.problems = append(n.problems, "the marker of "+written+" cannot be read")
		return nil
	}
	if !holds {
		return nil
	}
	if len(c.extras) > 0 {
		// What is needed without the extras too is the plain candidate's.
		if plain, err := p.env.holds(d.Marker, nil); err == nil && plain {
			return nil
		}
	}
	if strings.HasPrefix(d.Specifier, "@") {
		n.problems = append(n.problems, written+" is at an address, which is not read")
		return nil
	}
	specs, err := parseSpecifiers(d.Specifier)
	if err != nil {
		n.problems = append(n.problems, "the requirement "+written+" cannot be read")
		return nil
	}
	name := catalog.CanonicalName(catalog.PyPI, d.Name)
	pr, err := p.project(name)
	if err != nil {
		return err
	}
	if pr.unknown {
		n.problems = append(n.problems, "no version of "+written+" was found")
		return nil
	}
	n.list = append(n.list, &requirement{id: name, name: name, specs: specs, text: d.Specifier})
	if extras := extrasOf(d.Extras); len(extras) > 0 {
		n.list = append(n.list, &requirement{
			id: identify(name, extras), name: name, extras: extras, specs: specs, text: d.Specifier,
		})
	}
	return nil
}

// extrasOf reads the names between the brackets, sorted, each once.
func extrasOf(text string) []string {
	var list []string
	for e := range strings.SplitSeq(text, ",") {
		if e = strings.TrimSpace(e); e != "" {
			list = append(list, catalog.CanonicalName(catalog.PyPI, e))
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}
