package recipe

// truth evaluates a logic statement.
func (s scope) truth(n *node) (bool, error) {
	if err := s.spend(n, 1, 0); err != nil {
		return false, err
	}
	if n.kind == scalar {
		if s.on && isInfix(n.text) {
			v, err := s.infix(n, n.text)
			return truthy(v), err
		}
		v, err := s.expand(n)
		return truthy(v), err
	}
	if n.kind != mapping || len(n.entries) != 1 {
		return false, n.errorf("a condition is a value or one of and, or, not, equal, matches")
	}
	arg := n.entries[0].node
	switch word := n.entries[0].key; word {
	case "not":
		v, err := s.truth(arg)
		return !v, err
	case "and", "or":
		return s.allOrAny(arg, word == "and")
	case "equal":
		return s.equal(arg)
	case "matches":
		return s.matches(arg)
	default:
		return false, n.errorf("%q is not a condition; write and, or, not, equal or matches", word)
	}
}

func truthy(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	case int64:
		return v != 0
	case float64:
		return v != 0 && v == v
	case string:
		return v != ""
	}
	return true
}

func (s scope) allOrAny(n *node, all bool) (bool, error) {
	if n.kind != sequence || len(n.items) == 0 {
		return false, n.errorf("and, or take a list of conditions, this is %s", n.what())
	}
	result := all
	for _, item := range n.items {
		v, err := s.truth(item)
		if err != nil {
			return false, err
		}
		if v != all {
			result = !all
		}
	}
	return result, nil
}

func (s scope) equal(n *node) (bool, error) {
	if n.kind != sequence || len(n.items) < 2 {
		return false, n.errorf("equal takes a list of two or more values")
	}
	var first any
	alike := true
	for i, item := range n.items {
		v, err := s.expand(item)
		if err != nil {
			return false, err
		}
		if i == 0 {
			first = v
		}
		alike = alike && same(v, first)
	}
	return alike, nil
}

func (s scope) matches(n *node) (bool, error) {
	pattern, value := n.get("pattern"), n.get("value")
	if pattern == nil || value == nil || len(n.entries) != 2 {
		return false, n.errorf("matches takes pattern and value")
	}
	p, err := s.compile(pattern, pattern.text)
	if err != nil {
		return false, err
	}
	v, err := s.expand(value)
	if err != nil {
		return false, err
	}
	return s.matched(value, p, plain(v))
}
