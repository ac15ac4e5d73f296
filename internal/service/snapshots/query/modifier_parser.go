package query

import (
	"slices"
	"strings"
)

// Bounds of the modifiers.
const (
	maxFillSeconds = 600
	// MaxRollupSeconds is the longest interval that points are put together for.
	MaxRollupSeconds = 366 * 86400
)

// modifier reads .name(arguments). The lexer takes a following dot into a
// word, so a chain without spaces arrives as one symbol and one word each.
func (p *parser) modifier(m *Metric) error {
	if err := p.advance(); err != nil {
		return err
	}
	name := p.tok
	if name.kind != word {
		return p.errorf(name.at, "expected a modifier such as rollup after the dot")
	}
	if err := p.advance(); err != nil {
		return err
	}
	if err := p.expect("(", "after ."+name.text); err != nil {
		return err
	}
	args, err := p.plainArguments()
	if err != nil {
		return err
	}
	switch name.text {
	case "rollup":
		return p.rollup(m, name, args)
	case "fill":
		return p.fill(m, name, args)
	case "as_count", "as_rate":
		if len(args) > 0 {
			return p.errorf(args[0].at, "%s takes no argument", name.text)
		}
		m.Mode = map[string]Mode{"as_count": AsCount, "as_rate": AsRate}[name.text]
		return nil
	default:
		return p.errorf(name.at, "unknown modifier %s; use rollup, fill, as_count or as_rate", name.text)
	}
}

// plainArguments reads words, texts and numbers up to the closing parenthesis.
func (p *parser) plainArguments() ([]token, error) {
	var out []token
	for !p.at(")") {
		if p.tok.kind != word && p.tok.kind != number && p.tok.kind != quoted {
			return nil, p.errorf(p.tok.at, "expected an argument or a closing parenthesis")
		}
		out = append(out, p.tok)
		if err := p.advance(); err != nil {
			return nil, err
		}
		if p.at(",") {
			if err := p.advance(); err != nil {
				return nil, err
			}
		} else if !p.at(")") {
			return nil, p.errorf(p.tok.at, "expected a comma or a closing parenthesis")
		}
	}
	return out, p.advance()
}

func (p *parser) rollup(m *Metric, name token, args []token) error {
	if len(args) > 2 {
		return p.errorf(args[2].at, "rollup takes a method and seconds")
	}
	if len(args) == 0 {
		return p.errorf(name.at, "rollup takes a method, seconds or both")
	}
	for i, a := range args {
		if a.kind == number {
			if a.value < 1 || a.value > MaxRollupSeconds || i != len(args)-1 {
				return p.errorf(a.at, "the seconds of rollup come last and lie between 1 and %d", MaxRollupSeconds)
			}
			m.Rollup.Seconds = int64(a.value)
			continue
		}
		if !slices.Contains([]string{"avg", "sum", "min", "max", "count"}, a.text) || i != 0 {
			return p.errorf(a.at, "the method of rollup is avg, sum, min, max or count")
		}
		m.Rollup.Method = a.text
	}
	return nil
}

func (p *parser) fill(m *Metric, name token, args []token) error {
	if len(args) == 0 || len(args) > 2 {
		return p.errorf(name.at, "fill takes a method and, if wished, a limit in seconds")
	}
	method := strings.ToLower(args[0].text)
	if !slices.Contains([]string{"linear", "last", "zero", "null"}, method) {
		return p.errorf(args[0].at, "the method of fill is linear, last, zero or null")
	}
	m.Fill = Fill{Method: method, Limit: defaultFillSeconds}
	if len(args) == 2 {
		if args[1].kind != number || args[1].value < 0 || args[1].value > maxFillSeconds {
			return p.errorf(args[1].at, "the limit of fill lies between 0 and %d seconds", maxFillSeconds)
		}
		m.Fill.Limit = int64(args[1].value)
	}
	return nil
}
