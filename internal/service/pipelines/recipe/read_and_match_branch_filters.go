package recipe

import "strings"

// patterns are names and /expressions/, of which one must match in full.
type patterns struct {
	at    *node
	given bool
	names []string
	exprs []*pattern
}

func (p patterns) match(name string, s scope) (bool, error) {
	for _, n := range p.names {
		if n == name {
			return true, nil
		}
	}
	for _, e := range p.exprs {
		if ok, err := s.matched(p.at, e, name); ok || err != nil {
			return ok, err
		}
	}
	return false, nil
}

// filter is only and ignore of branches or of tags.
type filter struct {
	given        bool
	only, ignore patterns
}

// admits applies the filter; what is not asked for is admitted.
func (f filter) admits(name string, s scope) (bool, error) {
	if f.only.given {
		if ok, err := f.only.match(name, s); !ok || err != nil {
			return false, err
		}
	}
	ignored, err := f.ignore.match(name, s)
	return !ignored, err
}

// filters belong to a job of a workflow: of branches and tags, or a condition
// that decides about both.
type filters struct {
	branches, tags filter
	condition      *node
}

// admits reports whether a job runs for a revision. Tags run nothing that does
// not ask for them.
func (f filters) admits(r Revision, s scope) (bool, error) {
	if f.condition != nil {
		return s.truth(f.condition)
	}
	if r.Tag == "" {
		return f.branches.admits(r.Branch, s)
	}
	if !f.tags.given {
		return false, nil
	}
	return f.tags.admits(r.Tag, s)
}

func readFilters(n *node, s scope) (filters, error) {
	var out filters
	if n == nil {
		return out, nil
	}
	if n.kind == scalar && isInfix(n.text) && s.on {
		out.condition = n
		_, err := s.infix(n, n.text)
		return out, err
	}
	if n.kind == scalar {
		return out, n.errorf("filters must be a map with branches or tags, or an expression such as " +
			"pipeline.git.branch == \"main\" (in version 2.1)")
	}
	in := open(n, s, "filters")
	branches, tags := in.take("branches"), in.take("tags")
	if err := in.close(); err != nil {
		return out, err
	}
	var err error
	if out.branches, err = readFilter(branches, s); err != nil {
		return out, err
	}
	out.tags, err = readFilter(tags, s)
	return out, err
}

func readFilter(n *node, s scope) (filter, error) {
	var out filter
	if n == nil {
		return out, nil
	}
	in := open(n, s, "a filter")
	only, ignore := in.take("only"), in.take("ignore")
	if err := in.close(); err != nil {
		return out, err
	}
	if only == nil && ignore == nil {
		return out, n.errorf("a filter needs only or ignore")
	}
	out.given = true
	var err error
	if out.only, err = readPatterns(only, s); err != nil {
		return out, err
	}
	out.ignore, err = readPatterns(ignore, s)
	return out, err
}

func readPatterns(n *node, s scope) (patterns, error) {
	var out patterns
	if n == nil {
		return out, nil
	}
	out.at, out.given = n, true
	words, err := s.strings(n, "only and ignore")
	if err != nil {
		return out, err
	}
	for _, w := range words {
		if len(w) < 2 || !strings.HasPrefix(w, "/") || !strings.HasSuffix(w, "/") {
			out.names = append(out.names, w)
			continue
		}
		re, err := s.compile(n, w[1:len(w)-1])
		if err != nil {
			return out, err
		}
		out.exprs = append(out.exprs, re)
	}
	return out, nil
}
