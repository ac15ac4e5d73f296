package recipe

import (
	"regexp"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/platform/wire"
)

// Bounds of one expression.
const (
	maxExpression = 4 << 10
	maxOpen       = 40 // parentheses and negations within each other
)

// infixStart tells an expression such as pipeline.git.branch == "main" from a
// text: it begins with a name that only expressions know.
var infixStart = regexp.MustCompile(`^[\s(!]*(?:not\s+[\s(]*)?(?:pipeline|parameters|matrix|job)\.[A-Za-z]`)

var infixToken = regexp.MustCompile(`^(?:"[^"\n]*"|'[^'\n]*'|==|!=|<=|>=|&&|\|\||[<>!()]|` +
	`-?[0-9]+(?:\.[0-9]+)?\b|[A-Za-z][A-Za-z0-9_.-]*)`)

// isInfix reports whether a text is meant as an expression.
func isInfix(text string) bool { return infixStart.MatchString(text) }

// infix evaluates an expression: comparisons (==, !=, <, <=, >, >=, starts-with)
// joined by and, or, not and parentheses.
func (s scope) infix(n *node, text string) (any, error) {
	if len(text) > maxExpression {
		return nil, n.errorf("an expression of %d characters, at most %d", len(text), maxExpression)
	}
	p := infixParser{scope: s, at: n}
	for rest := strings.TrimSpace(text); rest != ""; rest = strings.TrimSpace(rest) {
		token := infixToken.FindString(rest)
		if token == "" {
			return nil, n.errorf("the expression is not understood at %q; known are ==, !=, <, <=, >, >=, starts-with, "+
				"and, or, not and parentheses", wire.Clip(rest, 100))
		}
		p.tokens = append(p.tokens, token)
		rest = rest[len(token):]
	}
	if err := s.spend(n, len(p.tokens), 0); err != nil {
		return nil, err
	}
	v, err := p.either(0)
	if err != nil {
		return nil, err
	}
	if word := p.peek(); word != "" {
		return nil, n.errorf("the expression goes on with %q where it should end", word)
	}
	return v, nil
}

// infixParser evaluates as it reads. Both sides of and, or are evaluated, so
// that a mistake is found whatever the values are.
type infixParser struct {
	scope  scope
	at     *node
	tokens []string
}

func (p *infixParser) peek() string {
	if len(p.tokens) == 0 {
		return ""
	}
	return p.tokens[0]
}

func (p *infixParser) take(words ...string) string {
	for _, w := range words {
		if len(p.tokens) > 0 && p.tokens[0] == w {
			p.tokens = p.tokens[1:]
			return w
		}
	}
	return ""
}

func (p *infixParser) either(depth int) (any, error) {
	left, err := p.both(depth)
	for err == nil && p.take("or", "||") != "" {
		var right any
		if right, err = p.both(depth); err == nil {
			left = truthy(left) || truthy(right)
		}
	}
	return left, err
}

func (p *infixParser) both(depth int) (any, error) {
	left, err := p.negated(depth)
	for err == nil && p.take("and", "&&") != "" {
		var right any
		if right, err = p.negated(depth); err == nil {
			left = truthy(left) && truthy(right)
		}
	}
	return left, err
}

func (p *infixParser) negated(depth int) (any, error) {
	if depth > maxOpen {
		return nil, p.at.errorf("the expression is nested deeper than %d", maxOpen)
	}
	if p.take("not", "!") != "" {
		v, err := p.negated(depth + 1)
		return !truthy(v), err
	}
	left, err := p.operand(depth)
	if err != nil {
		return nil, err
	}
	word := p.take("==", "!=", "<=", ">=", "<", ">", "starts-with")
	if word == "" {
		return left, nil
	}
	right, err := p.operand(depth)
	if err != nil {
		return nil, err
	}
	return p.compare(word, left, right)
}

func (p *infixParser) operand(depth int) (any, error) {
	if p.take("(") != "" {
		v, err := p.either(depth + 1)
		if err == nil && p.take(")") == "" {
			err = p.at.errorf("the expression has a ( without its )")
		}
		return v, err
	}
	word := p.peek()
	if word == "" {
		return nil, p.at.errorf("the expression ends where a value should stand")
	}
	p.tokens = p.tokens[1:]
	switch {
	case word[0] == '"' || word[0] == '\'':
		return word[1 : len(word)-1], nil
	case word == "true" || word == "false":
		return word == "true", nil
	case word == "null":
		return nil, nil
	case strings.Contains(word, ".") && word[0] > '9':
		return p.scope.lookup(p.at, word)
	}
	if i, err := strconv.ParseInt(word, 10, 64); err == nil {
		return i, nil
	}
	if f, err := strconv.ParseFloat(word, 64); err == nil {
		return f, nil
	}
	return nil, p.at.errorf("the expression has %q where a value should stand; texts stand in quotes", word)
}

func (p *infixParser) compare(word string, left, right any) (any, error) {
	switch word {
	case "==":
		return same(left, right), nil
	case "!=":
		return !same(left, right), nil
	case "starts-with":
		return strings.HasPrefix(plain(left), plain(right)), nil
	}
	order := 0
	switch a, b := asFloat(left), asFloat(right); {
	case a == nil || b == nil:
		return nil, p.at.errorf("%s compares numbers", word)
	case *a < *b:
		order = -1
	case *a > *b:
		order = 1
	}
	switch word {
	case "<":
		return order < 0, nil
	case "<=":
		return order <= 0, nil
	case ">":
		return order > 0, nil
	}
	return order >= 0, nil
}

// same compares values; a whole number is the same whether written with a point
// or not.
func same(a, b any) bool {
	if x, y := asFloat(a), asFloat(b); x != nil && y != nil {
		return *x == *y
	}
	switch a.(type) {
	case nil, string, bool:
		return a == b
	}
	return false
}

func asFloat(v any) *float64 {
	switch v := v.(type) {
	case int64:
		f := float64(v)
		return &f
	case float64:
		return &v
	}
	return nil
}
