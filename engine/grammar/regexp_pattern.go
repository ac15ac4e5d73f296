package grammar

import (
	"errors"
	"fmt"
	"regexp/syntax"
	"strings"
)

// expression turns a regular expression into the inside of a JSON string. As
// in JSON Schema, an expression without anchors may match anywhere.
func expression(pattern string) (string, error) {
	if len(pattern) > 1000 {
		return "", errors.New("the expression is longer than 1000 characters")
	}
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return "", errors.New("is not a regular expression")
	}
	tree = unwrap(tree)
	parts := []*syntax.Regexp{tree}
	if tree.Op == syntax.OpConcat {
		parts = tree.Sub
	}
	before, after := "char* ", " char*"
	if len(parts) > 0 && parts[0].Op == syntax.OpBeginText {
		before, parts = "", parts[1:]
	}
	if n := len(parts); n > 0 && parts[n-1].Op == syntax.OpEndText {
		after, parts = "", parts[:n-1]
	}
	body, err := sequence(parts)
	if err != nil {
		return "", err
	}
	return before + "(" + body + ")" + after, nil
}

// unwrap takes off groups that only capture.
func unwrap(r *syntax.Regexp) *syntax.Regexp {
	for r.Op == syntax.OpCapture {
		r = r.Sub[0]
	}
	return r
}

func sequence(parts []*syntax.Regexp) (string, error) {
	var out []string
	for _, p := range parts {
		body, err := convert(p)
		if err != nil {
			return "", err
		}
		out = append(out, body)
	}
	if len(out) == 0 {
		return `""`, nil
	}
	return strings.Join(out, " "), nil
}

func convert(r *syntax.Regexp) (string, error) {
	r = unwrap(r)
	switch r.Op {
	case syntax.OpEmptyMatch:
		return `""`, nil
	case syntax.OpLiteral:
		if r.Flags&syntax.FoldCase != 0 {
			return folded(r.Rune)
		}
		text := mustJSON(string(r.Rune))
		return literal(text[1 : len(text)-1]), nil
	case syntax.OpCharClass:
		return class(r.Rune)
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return "char", nil
	case syntax.OpConcat:
		body, err := sequence(r.Sub)
		return "(" + body + ")", err
	case syntax.OpAlternate:
		var out []string
		for _, sub := range r.Sub {
			body, err := convert(sub)
			if err != nil {
				return "", err
			}
			out = append(out, body)
		}
		return "(" + strings.Join(out, " | ") + ")", nil
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat:
		return repeated(r)
	default:
	}
	return "", errors.New("anchors inside and look-around cannot be followed")
}

func repeated(r *syntax.Regexp) (string, error) {
	body, err := convert(r.Sub[0])
	if err != nil {
		return "", err
	}
	body = "(" + body + ")"
	switch r.Op {
	case syntax.OpStar:
		return body + "*", nil
	case syntax.OpPlus:
		return body + "+", nil
	case syntax.OpQuest:
		return body + "?", nil
	default:
	}
	if r.Max > maxRepeat || r.Min > maxRepeat {
		return "", fmt.Errorf("repeats more than %d times", maxRepeat)
	}
	return repeat(body, r.Min, r.Max), nil
}

// folded is a text in either case.
func folded(runes []rune) (string, error) {
	var out []string
	for _, r := range runes {
		lower, upper := strings.ToLower(string(r)), strings.ToUpper(string(r))
		if len([]rune(lower)) != 1 || len([]rune(upper)) != 1 || r == '"' || r == '\\' || r < ' ' {
			return "", errors.New("ignoring case is possible for letters only")
		}
		out = append(out, "("+literal(lower)+" | "+literal(upper)+")")
	}
	return strings.Join(out, " "), nil
}

// class is a set of characters. Quotation mark, backslash and control
// characters need an escape in JSON; a set may do without them.
func class(pairs []rune) (string, error) {
	var out strings.Builder
	for i := 0; i+1 < len(pairs); i += 2 {
		for _, part := range without(pairs[i], pairs[i+1]) {
			writeRune(&out, part[0])
			if part[1] > part[0] {
				out.WriteByte('-')
				writeRune(&out, part[1])
			}
		}
	}
	if out.Len() == 0 {
		return "", errors.New("has a set of characters that JSON cannot hold as they are")
	}
	return "[" + out.String() + "]", nil
}

// without cuts what needs an escape out of a range.
func without(from, to rune) [][2]rune {
	ranges := [][2]rune{{from, to}}
	for _, hole := range [][2]rune{{0, 0x1f}, {'"', '"'}, {'\\', '\\'}, {0x7f, 0x7f}, {0xd800, 0xdfff}} {
		var next [][2]rune
		for _, r := range ranges {
			if hole[1] < r[0] || hole[0] > r[1] {
				next = append(next, r)
				continue
			}
			if r[0] < hole[0] {
				next = append(next, [2]rune{r[0], hole[0] - 1})
			}
			if r[1] > hole[1] {
				next = append(next, [2]rune{hole[1] + 1, r[1]})
			}
		}
		ranges = next
	}
	return ranges
}

// writeRune writes a character of a set.
func writeRune(out *strings.Builder, r rune) {
	switch {
	case strings.ContainsRune(`]\-^[`, r):
		// Every one of these has its own meaning inside a set.
		fmt.Fprintf(out, `\x%02x`, r)
	case r > 0xffff:
		fmt.Fprintf(out, `\U%08x`, r)
	case r > 0x7e:
		fmt.Fprintf(out, `\u%04x`, r)
	default:
		out.WriteRune(r)
	}
}
