package query

import (
	"slices"
	"strings"
)

// Bounds of what is parsed at all.
const (
	MaxLength = 32 << 10
	MaxDepth  = 40
	MaxExprs  = 50
	maxNodes  = 500
	maxTerms  = 1000 // of the scopes of a query
	maxTerm   = 300  // bytes of a tag in a scope
)

// Parse reads a query. The error is always an *Error.
func Parse(text string) (*Query, error) {
	if len(text) > MaxLength {
		return nil, errorAt(text, MaxLength, "the query is longer than %d bytes", MaxLength)
	}
	p := &parser{lex: lexer{text: text}}
	if err := p.advance(); err != nil {
		return nil, err
	}
	q := &Query{Text: text}
	for {
		from := p.tok.at
		e, err := p.expr(0)
		if err != nil {
			return nil, err
		}
		q.Exprs = append(q.Exprs, e)
		q.texts = append(q.texts, strings.TrimSpace(text[from:p.tok.at]))
		if p.tok.kind == end {
			return q, nil
		}
		if !p.at(",") {
			return nil, p.errorf(p.tok.at, "expected an operator, a comma or the end of the query")
		}
		if len(q.Exprs) == MaxExprs {
			return nil, p.errorf(p.tok.at, "a query holds at most %d expressions", MaxExprs)
		}
		if err := p.advance(); err != nil {
			return nil, err
		}
	}
}

// parser is a recursive descent over the tokens, one token ahead.
type parser struct {
	lex   lexer
	tok   token
	depth int
	nodes int
	terms int
}

func (p *parser) errorf(at int, format string, args ...any) error {
	return errorAt(p.lex.text, at, format, args...)
}

func (p *parser) advance() (err error) {
	p.tok, err = p.lex.next()
	return err
}

// at reports whether the current token is the symbol s.
func (p *parser) at(s string) bool { return p.tok.kind == symbol && p.tok.text == s }

// expect consumes the symbol s.
func (p *parser) expect(s, where string) error {
	if !p.at(s) {
		return p.errorf(p.tok.at, "expected %q %s", s, where)
	}
	return p.advance()
}

func precedence(op string) int {
	switch op {
	case "+", "-":
		return 1
	case "*", "/":
		return 2
	default:
		return 0
	}
}

// enter bounds recursion and the size of the tree.
func (p *parser) enter() error {
	p.depth++
	p.nodes++
	if p.depth > MaxDepth {
		return p.errorf(p.tok.at, "the query is nested deeper than %d", MaxDepth)
	}
	if p.nodes > maxNodes {
		return p.errorf(p.tok.at, "the query has more than %d parts", maxNodes)
	}
	return nil
}

// expr reads operators that bind tighter than least.
func (p *parser) expr(least int) (Expr, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	left, err := p.operand()
	if err != nil {
		return nil, err
	}
	for p.tok.kind == symbol && precedence(p.tok.text) > least {
		op := p.tok
		if err := p.advance(); err != nil {
			return nil, err
		}
		right, err := p.expr(precedence(op.text))
		if err != nil {
			return nil, err
		}
		left = &Binary{Op: op.text[0], Left: left, Right: right, at: op.at}
	}
	return left, nil
}

func (p *parser) operand() (Expr, error) {
	t := p.tok
	switch {
	case t.kind == number:
		return &Number{Value: t.value, at: t.at}, p.advance()
	case p.at("-"):
		return p.negation()
	case p.at("("):
		if err := p.advance(); err != nil {
			return nil, err
		}
		e, err := p.expr(0)
		if err != nil {
			return nil, err
		}
		return e, p.expect(")", "to close the parenthesis")
	case t.kind == word:
		if err := p.advance(); err != nil {
			return nil, err
		}
		switch {
		case p.at("("):
			return p.call(t)
		case p.at(":"):
			return p.aggregated(t)
		default:
			return p.metric(t, "", t.at)
		}
	case t.kind == end:
		return nil, p.errorf(t.at, "expected a metric, a function or a number, found the end of the query")
	default:
		return nil, p.errorf(t.at, "expected a metric, a function or a number")
	}
}

// negation is a minus before an operand.
func (p *parser) negation() (Expr, error) {
	at := p.tok.at
	if err := p.advance(); err != nil {
		return nil, err
	}
	e, err := p.expr(2)
	if err != nil {
		return nil, err
	}
	if n, ok := e.(*Number); ok {
		return &Number{Value: -n.Value, at: at}, nil
	}
	return &Binary{Op: '*', Left: &Number{Value: -1, at: at}, Right: e, at: at}, nil
}

// call reads the arguments of a function and checks their number and kinds.
func (p *parser) call(name token) (Expr, error) {
	fn, ok := lookup(name.text)
	if !ok {
		return nil, p.errorf(name.at, "unknown function %s", name.text)
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	c := &Call{Name: name.text, at: name.at, fn: fn}
	for {
		arg, err := p.argument()
		if err != nil {
			return nil, err
		}
		c.Args = append(c.Args, arg)
		if p.at(",") {
			if err := p.advance(); err != nil {
				return nil, err
			}
			continue
		}
		if err := p.expect(")", "after the arguments of "+name.text); err != nil {
			return nil, err
		}
		return c, p.checkCall(c)
	}
}

func (p *parser) argument() (Expr, error) {
	if p.tok.kind == quoted {
		t := &Text{Value: p.tok.text, at: p.tok.at}
		return t, p.advance()
	}
	return p.expr(0)
}

func (p *parser) checkCall(c *Call) error {
	if err := c.fn.check(c); err != nil {
		return p.errorf(err.at, "%s", err.reason)
	}
	return nil
}

// aggregated reads aggregator:metric.
func (p *parser) aggregated(agg token) (Expr, error) {
	if !isAggregator(agg.text) {
		return nil, p.errorf(agg.at, "unknown aggregator %s; use avg, sum, min, max, count or a percentile such as p95",
			agg.text)
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	name := p.tok
	if name.kind != word {
		return nil, p.errorf(name.at, "expected a metric name after %s:", agg.text)
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	return p.metric(name, agg.text, agg.at)
}

func isAggregator(s string) bool {
	return slices.Contains([]string{"avg", "sum", "min", "max", "count"}, s) || percentile(s) >= 0
}

// metric reads {scope} by {tags} and the modifiers.
func (p *parser) metric(name token, agg string, at int) (Expr, error) {
	m := &Metric{Aggregator: agg, Name: name.text, at: at}
	if p.tok.kind == quoted || !p.at("{") {
		return nil, p.errorf(p.tok.at, "expected { and a scope such as {*} after %s; texts are written in quotes",
			name.text)
	}
	body, from, err := p.braces()
	if err != nil {
		return nil, err
	}
	m.ScopeText = strings.TrimSpace(body)
	if m.Scope, err = parseScope(p.lex.text, from, from+len(body), &p.terms); err != nil {
		return nil, err
	}
	if p.tok.kind == word && strings.EqualFold(p.tok.text, "by") {
		if err := p.by(m); err != nil {
			return nil, err
		}
	}
	for p.at(".") {
		if err := p.modifier(m); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// braces returns the raw text up to the closing brace and moves behind it.
func (p *parser) braces() (body string, from int, err error) {
	open := p.tok.at
	n := strings.IndexByte(p.lex.text[p.lex.i:], '}')
	if n < 0 {
		return "", 0, p.errorf(open, "this brace is not closed")
	}
	from = p.lex.i
	body = p.lex.text[from : from+n]
	p.lex.i = from + n + 1
	return body, from, p.advance()
}

// by reads the tags that results are grouped by.
func (p *parser) by(m *Metric) error {
	if err := p.advance(); err != nil {
		return err
	}
	if !p.at("{") {
		return p.errorf(p.tok.at, "expected { after by")
	}
	open := p.tok.at
	body, from, err := p.braces()
	if err != nil {
		return err
	}
	for _, key := range strings.Split(body, ",") {
		key = strings.ToLower(strings.TrimSpace(key))
		if key == "" || strings.ContainsAny(key, "{}()!* \t\n\"'") {
			return p.errorf(from, "%q is not a tag to group by", key)
		}
		if !slices.Contains(m.By, key) {
			m.By = append(m.By, key)
		}
		if len(m.By) > 20 {
			return p.errorf(open, "at most 20 tags can be grouped by")
		}
	}
	return nil
}
