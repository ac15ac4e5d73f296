package pypi

import (
	"math"
	"regexp"
	"slices"
	"strings"
)

// specifier is one clause of a requirement.
type specifier struct {
	op   string
	v    version
	wild bool
	text string
}

var clauseForm = regexp.MustCompile(`^(~=|===|==|!=|<=|>=|<|>)\s*(.*)$`)

// parseSpecifiers reads clauses that are joined by commas. A text that pip
// would refuse is an error.
func parseSpecifiers(text string) ([]specifier, error) {
	var list []specifier
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		m := clauseForm.FindStringSubmatch(part)
		if m == nil {
			return nil, errVersion
		}
		s := specifier{op: m[1], text: strings.TrimSpace(m[2])}
		base, wild := strings.CutSuffix(s.text, ".*")
		if wild && s.op != "==" && s.op != "!=" {
			// pip forgives this in old metadata.
			wild = false
		}
		s.wild = wild
		v, err := parseVersion(base)
		if err != nil && s.op != "===" {
			return nil, err
		}
		s.v = v
		list = append(list, s)
	}
	return list, nil
}

// matches reports whether a version lies in the clause, whatever kind of
// release it is.
func (s *specifier) matches(v *version) bool {
	switch s.op {
	case "===":
		return strings.EqualFold(v.text, s.text)
	case "==":
		return s.equals(v)
	case "!=":
		return !s.equals(v)
	case ">=":
		return comparePublic(v, &s.v) >= 0
	case "<=":
		return comparePublic(v, &s.v) <= 0
	case "<":
		return compare(v, &s.v) < 0 && (s.v.isPre() || !v.isPre() || !sameRelease(v, &s.v))
	case ">":
		if compare(v, &s.v) <= 0 || len(v.local) > 0 && comparePublic(v, &s.v) == 0 {
			return false
		}
		return s.v.post != math.MinInt || v.post == math.MinInt || !sameRelease(v, &s.v)
	case "~=":
		prefix := specifier{op: "==", wild: true, v: s.v}
		prefix.v.release = s.v.release[:max(1, len(s.v.release)-1)]
		prefix.v.preKind, prefix.v.pre, prefix.v.post, prefix.v.dev = 4, math.MaxInt, math.MinInt, math.MaxInt
		return comparePublic(v, &s.v) >= 0 && prefix.equals(v)
	}
	return false
}

func (s *specifier) equals(v *version) bool {
	if !s.wild {
		if len(s.v.local) == 0 {
			return comparePublic(v, &s.v) == 0
		}
		return compare(v, &s.v) == 0
	}
	if v.epoch != s.v.epoch {
		return false
	}
	for i, n := range s.v.release {
		if v.segment(i) != n {
			return false
		}
	}
	return true
}

// allMatch reports whether a version lies in all clauses.
func allMatch(list []specifier, v *version) bool {
	return !slices.ContainsFunc(list, func(s specifier) bool { return !s.matches(v) })
}

// admitsPre reports whether a clause names a pre-release, which makes pip look
// at them.
func admitsPre(list []specifier) bool {
	return slices.ContainsFunc(list, func(s specifier) bool {
		return s.v.isPre() && (s.op == "==" || s.op == ">=" || s.op == "<=" || s.op == "~=" || s.op == "===")
	})
}
