package settings

import (
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// Sources are what the values of a configuration were taken from.
type Sources struct {
	// Config has the settings; their values do not matter.
	Config any
	// File is the name of the configuration file and Text what it holds; empty without one.
	File string
	Text []byte
	// Environ has the form of os.Environ.
	Environ []string
	// Flags are the flags that were given, by the setting that each overrides.
	Flags map[string]string
}

// Locate begins each line of a message about bad values with the places where the settings
// that it names were given: the line of the file, the variable or the flag. Packages judge their
// values without knowing where those came from, so the places are found by the names in the message.
func Locate(message string, s Sources) string {
	l := locator{Sources: s, keys: keysOf(leaves(s.Config)), environ: given(s.Environ)}
	if file, err := parser.ParseBytes(s.Text, 0); err == nil && yaml.Unmarshal(s.Text, &l.tree) == nil {
		l.file = file
	}
	lines := strings.Split(message, "\n")
	for i, line := range lines {
		lines[i] = l.located(line)
	}
	return strings.Join(lines, "\n")
}

// locator finds the places of the settings that a text names.
type locator struct {
	Sources
	keys    keys
	environ map[string]string
	file    *ast.File
	tree    map[string]any
}

// located is the line with its places before it, or as it is when it tells them already or
// names nothing that was given.
func (l *locator) located(line string) string {
	if l.File != "" && strings.Contains(line, l.File+":") {
		return line
	}
	var places []string
	for _, path := range l.mentioned(line) {
		place := l.place(path)
		if !slices.Contains(places, place) && !strings.Contains(line, place) {
			places = append(places, place)
		}
	}
	if len(places) == 0 {
		return line
	}
	return strings.Join(places, ", ") + ": " + line
}

// place is where a setting was given, in the order in which they win; empty for one that was not.
func (l *locator) place(path string) string {
	if flag, ok := l.Flags[path]; ok {
		return flag
	}
	if name := Variable(path); l.environ[name] != "" {
		return name
	}
	if l.file != nil && inTree(l.tree, strings.Split(path, ".")) {
		return l.File + line(l.file, path)
	}
	return ""
}

// words matches what may be the name of a setting, and quoted values, which are none.
var words = regexp.MustCompile(`"[^"]*"|[a-z][a-z0-9_]*(?:\.[a-z0-9_]+)*`)

// mentioned are the settings which the line names and which were given. When none of them was,
// they are the given ones of a section that it names: "name X, or remove the rest of SECTION".
func (l *locator) mentioned(line string) []string {
	tokens := words.FindAllString(line, -1)
	var named, weak, sections []string
	for i, token := range tokens {
		plain := !strings.ContainsAny(token, "._")
		switch {
		case plain && i > 0:
			weak = append(weak, token)
		case l.keys.sections[token]:
			sections = append(sections, token)
		case l.leaf(token) != "":
			named = append(named, l.leaf(token))
		default:
			named = append(named, l.beside(named, sections, token)...)
		}
	}
	if found := l.given(named); len(found) > 0 && len(sections) == 0 {
		return found
	}
	for _, token := range weak {
		named = append(named, l.beside(named, sections, token)...)
	}
	if found := l.given(named); len(found) > 0 {
		return found
	}
	return l.given(l.below(sections))
}

// leaf is the setting of this name, or the object or list that the name lies in.
func (l *locator) leaf(name string) string {
	for name != "" && !l.keys.leaves[name] {
		name = name[:max(strings.LastIndexByte(name, '.'), 0)]
	}
	return name
}

// beside is the setting of a short name in the section of those named before.
func (l *locator) beside(named, sections []string, name string) []string {
	for _, path := range named {
		sections = append(slices.Clip(sections), path[:max(strings.LastIndexByte(path, '.'), 0)])
	}
	for _, section := range sections {
		if path := section + "." + name; l.keys.leaves[path] {
			return []string{path}
		}
	}
	return nil
}

// below are the settings of the sections.
func (l *locator) below(sections []string) (paths []string) {
	for _, path := range l.keys.names {
		for _, section := range sections {
			if l.keys.leaves[path] && strings.HasPrefix(path, section+".") {
				paths = append(paths, path)
			}
		}
	}
	return paths
}

func (l *locator) given(paths []string) (found []string) {
	for _, path := range paths {
		if l.place(path) != "" && !slices.Contains(found, path) {
			found = append(found, path)
		}
	}
	return found
}
