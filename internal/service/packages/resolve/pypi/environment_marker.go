package pypi

import (
	"errors"
	"slices"
	"strings"

	"stoa.dev/stoa/internal/service/packages/catalog"
)

// environment is the machine that markers are evaluated for.
type environment map[string]string

// linux is a 64-bit Linux with CPython of a version.
func linux(python version) environment {
	series := join(python.release[:2])
	return environment{
		"os_name": "posix", "sys_platform": "linux", "platform_machine": "x86_64",
		"platform_python_implementation": "CPython", "platform_release": "6.1.0", "platform_system": "Linux",
		"platform_version": "#1 SMP", "python_version": series, "python_full_version": join(python.release),
		"implementation_name": "cpython", "implementation_version": join(python.release),
		// The old spellings of setuptools.
		"os.name": "posix", "sys.platform": "linux", "platform.machine": "x86_64", "platform.version": "#1 SMP",
		"platform.python_implementation": "CPython", "python_implementation": "CPython",
	}
}

var errMarker = errors.New("the marker cannot be read")

// maxDepth bounds the parentheses of a marker.
const maxDepth = 64

// markerParser reads and evaluates a marker in one go.
type markerParser struct {
	words  []string
	at     int
	env    environment
	extras []string
}

// holds evaluates a marker for an environment and the extras that are wanted.
func (env environment) holds(marker string, extras []string) (bool, error) {
	if strings.TrimSpace(marker) == "" {
		return true, nil
	}
	words, err := markerWords(marker)
	if err != nil {
		return false, err
	}
	p := &markerParser{words: words, env: env, extras: extras}
	value, err := p.or(0)
	if err == nil && p.at != len(p.words) {
		err = errMarker
	}
	return value, err
}

// markerWords splits a marker into names, quoted texts, operators and
// parentheses. A quoted text keeps its opening quote, to be told from a name.
func markerWords(marker string) ([]string, error) {
	var words []string
	for i := 0; i < len(marker); {
		c := marker[i]
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			i++
		case c == '(' || c == ')':
			words = append(words, string(c))
			i++
		case c == '"' || c == '\'':
			end := strings.IndexByte(marker[i+1:], c)
			if end < 0 {
				return nil, errMarker
			}
			words = append(words, `"`+marker[i+1:i+1+end])
			i += end + 2
		default:
			set := "<>=!~"
			if !strings.ContainsRune(set, rune(c)) {
				set = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_."
			}
			end := i
			for end < len(marker) && strings.IndexByte(set, marker[end]) >= 0 {
				end++
			}
			if end == i {
				return nil, errMarker
			}
			words = append(words, marker[i:end])
			i = end
		}
	}
	return words, nil
}

func (p *markerParser) next() string {
	if p.at >= len(p.words) {
		return ""
	}
	p.at++
	return p.words[p.at-1]
}

func (p *markerParser) accept(word string) bool {
	if p.at < len(p.words) && p.words[p.at] == word {
		p.at++
		return true
	}
	return false
}

func (p *markerParser) or(depth int) (bool, error) {
	value, err := p.and(depth)
	for err == nil && p.accept("or") {
		var right bool
		right, err = p.and(depth)
		value = value || right
	}
	return value, err
}

func (p *markerParser) and(depth int) (bool, error) {
	value, err := p.comparison(depth)
	for err == nil && p.accept("and") {
		var right bool
		right, err = p.comparison(depth)
		value = value && right
	}
	return value, err
}

func (p *markerParser) comparison(depth int) (bool, error) {
	if depth > maxDepth {
		return false, errMarker
	}
	if p.accept("(") {
		value, err := p.or(depth + 1)
		if err == nil && !p.accept(")") {
			err = errMarker
		}
		return value, err
	}
	left, op := p.next(), p.next()
	if op == "not" && p.accept("in") {
		op = "not in"
	}
	right := p.next()
	if left == "" || right == "" {
		return false, errMarker
	}
	if left == "extra" || right == "extra" {
		return p.extra(left, op, right)
	}
	l, err := p.value(left)
	if err != nil {
		return false, err
	}
	r, err := p.value(right)
	if err != nil {
		return false, err
	}
	return compareMarker(l, op, r)
}

// extra compares the extras that are wanted with a name.
func (p *markerParser) extra(left, op, right string) (bool, error) {
	if left == "extra" {
		left = right
	}
	name, quoted := strings.CutPrefix(left, `"`)
	if !quoted {
		return false, errMarker
	}
	has := slices.Contains(p.extras, catalog.CanonicalName(catalog.PyPI, name))
	switch op {
	case "==", "in":
		return has, nil
	case "!=", "not in":
		return !has, nil
	}
	return false, errMarker
}

// value is what a quoted text or a variable stands for.
func (p *markerParser) value(word string) (string, error) {
	if text, quoted := strings.CutPrefix(word, `"`); quoted {
		return text, nil
	}
	value, ok := p.env[word]
	if !ok {
		return "", errMarker
	}
	return value, nil
}

// compareMarker compares as versions where the right side is one, else as texts.
func compareMarker(left, op, right string) (bool, error) {
	switch op {
	case "in":
		return strings.Contains(right, left), nil
	case "not in":
		return !strings.Contains(right, left), nil
	}
	if list, err := parseSpecifiers(op + right); err == nil && len(list) == 1 {
		if v, err := parseVersion(left); err == nil {
			return list[0].matches(&v), nil
		}
	}
	switch op {
	case "==", "===":
		return left == right, nil
	case "!=":
		return left != right, nil
	case "<":
		return left < right, nil
	case "<=":
		return left <= right, nil
	case ">":
		return left > right, nil
	case ">=":
		return left >= right, nil
	}
	return false, errMarker
}
