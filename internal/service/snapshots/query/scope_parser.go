package query

import "strings"

// scopeParser reads what stands between the braces of a metric. Two styles
// exist and must not be mixed: commas with a leading ! for negation, and the
// words AND, OR, NOT, IN with parentheses.
type scopeParser struct {
	text  string // the whole query
	i     int
	end   int
	depth int
	style string // "list" or "words" once known
	terms *int   // of all scopes of the query
}

// parseScope reads text[from:to], the inside of the braces.
func parseScope(text string, from, to int, terms *int) (Filter, error) {
	p := &scopeParser{text: text, i: from, end: to, terms: terms}
	f, err := p.list()
	if err != nil {
		return nil, err
	}
	if p.skip(); p.i < p.end {
		return nil, p.errorf(p.i, "unexpected %q in the scope", p.text[p.i:p.i+1])
	}
	return f, nil
}

func (p *scopeParser) errorf(at int, format string, args ...any) error {
	return errorAt(p.text, at, format, args...)
}

func (p *scopeParser) skip() {
	for p.i < p.end && strings.IndexByte(" \t\r\n", p.text[p.i]) >= 0 {
		p.i++
	}
}

// uses notes the style of an operator and refuses the other one.
func (p *scopeParser) uses(style string, at int) error {
	if p.style == "" || p.style == style {
		p.style = style
		return nil
	}
	return p.errorf(at, "the scope mixes commas or ! with AND, OR, NOT or IN; use one style")
}

// list is terms separated by commas; all must hold.
func (p *scopeParser) list() (Filter, error) {
	var all All
	for {
		f, err := p.or()
		if err != nil {
			return nil, err
		}
		all = append(all, f)
		p.skip()
		if p.i >= p.end || p.text[p.i] != ',' {
			break
		}
		if err := p.uses("list", p.i); err != nil {
			return nil, err
		}
		p.i++
	}
	if len(all) == 1 {
		return all[0], nil
	}
	return all, nil
}

func (p *scopeParser) or() (Filter, error) {
	return p.chain("OR", p.and, func(f []Filter) Filter { return Any(f) })
}

func (p *scopeParser) and() (Filter, error) {
	return p.chain("AND", p.not, func(f []Filter) Filter { return All(f) })
}

// chain is operands joined by one word.
func (p *scopeParser) chain(op string, operand func() (Filter, error), join func([]Filter) Filter) (Filter, error) {
	var parts []Filter
	for {
		f, err := operand()
		if err != nil {
			return nil, err
		}
		parts = append(parts, f)
		at := p.i
		if !p.keyword(op) {
			break
		}
		if err := p.uses("words", at); err != nil {
			return nil, err
		}
	}
	if len(parts) == 1 {
		return parts[0], nil
	}
	return join(parts), nil
}

func (p *scopeParser) not() (Filter, error) {
	p.skip()
	at := p.i
	negated, style := false, "words"
	if p.i < p.end && p.text[p.i] == '!' {
		p.i++
		negated, style = true, "list"
	} else if p.keyword("NOT") {
		negated = true
	}
	if !negated {
		return p.term()
	}
	if err := p.uses(style, at); err != nil {
		return nil, err
	}
	if p.depth++; p.depth > MaxDepth {
		return nil, p.errorf(at, "the scope is nested deeper than %d", MaxDepth)
	}
	defer func() { p.depth-- }()
	f, err := p.not()
	if err != nil {
		return nil, err
	}
	return Not{f}, nil
}

// keyword consumes the word when it is next, in any case, as a whole word.
func (p *scopeParser) keyword(w string) bool {
	save := p.i
	p.skip()
	j := p.i + len(w)
	if j <= p.end && strings.EqualFold(p.text[p.i:j], w) &&
		(j == p.end || strings.IndexByte(" \t\r\n(", p.text[j]) >= 0) {
		p.i = j
		return true
	}
	p.i = save
	return false
}

func (p *scopeParser) term() (Filter, error) {
	p.skip()
	at := p.i
	if p.i < p.end && p.text[p.i] == '(' {
		return p.group()
	}
	name, err := p.tag()
	if err != nil {
		return nil, err
	}
	save, negated := p.i, p.keyword("NOT")
	if p.keyword("IN") {
		if err := p.uses("words", at); err != nil {
			return nil, err
		}
		f, err := p.in(name)
		if err == nil && negated {
			f = Not{f}
		}
		return f, err
	}
	p.i = save
	return tagFilter(name), nil
}

func (p *scopeParser) group() (Filter, error) {
	at := p.i
	if p.depth++; p.depth > MaxDepth {
		return nil, p.errorf(at, "the scope is nested deeper than %d", MaxDepth)
	}
	defer func() { p.depth-- }()
	if err := p.uses("words", at); err != nil {
		return nil, err
	}
	p.i++
	f, err := p.or()
	if err != nil {
		return nil, err
	}
	if p.skip(); p.i >= p.end || p.text[p.i] != ')' {
		return nil, p.errorf(at, "this parenthesis is not closed")
	}
	p.i++
	return f, nil
}

// in reads the list of values of key IN (a, b).
func (p *scopeParser) in(key string) (Filter, error) {
	p.skip()
	if p.i >= p.end || p.text[p.i] != '(' {
		return nil, p.errorf(p.i, "expected ( after IN")
	}
	var any Any
	for {
		p.i++
		v, err := p.tag()
		if err != nil {
			return nil, err
		}
		any = append(any, Has{Key: strings.ToLower(key), Value: strings.ToLower(v)})
		p.skip()
		if p.i >= p.end || p.text[p.i] != ',' && p.text[p.i] != ')' {
			return nil, p.errorf(p.i, "expected , or ) in the list of values")
		}
		if p.text[p.i] == ')' {
			p.i++
			return any, nil
		}
	}
}

// tag reads one tag, value or template variable.
func (p *scopeParser) tag() (string, error) {
	p.skip()
	at := p.i
	for p.i < p.end && strings.IndexByte(" \t\r\n,(){}!\"'", p.text[p.i]) < 0 {
		p.i++
	}
	if p.i == at {
		return "", p.errorf(at, "expected a tag, for example env:prod or *")
	}
	if p.i-at > maxTerm {
		return "", p.errorf(at, "a tag in a scope is longer than %d bytes", maxTerm)
	}
	if *p.terms++; *p.terms > maxTerms {
		return "", p.errorf(at, "the scopes of a query hold at most %d tags", maxTerms)
	}
	return p.text[at:p.i], nil
}

// tagFilter is the filter of one written tag. A template variable has no value
// outside a dashboard and so matches everything, as its default does there.
func tagFilter(s string) Filter {
	if s == "*" || s[0] == '$' {
		return Everything{}
	}
	s = strings.ToLower(s)
	key, value, ok := strings.Cut(s, ":")
	if value == "*" && ok || ok && value != "" && value[0] == '$' {
		return Any{Has{Key: key, Value: "*"}}
	}
	return Has{Key: key, Value: value, Bare: !ok}
}
