package seed

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// File is a seed file that was read and checked.
type File struct {
	name     string
	root     *node
	sections []filled
	folders  []folder
}

// filled is a section with the elements of a file.
type filled struct {
	Section
	list reflect.Value
}

// Read checks the text of a file against the sections. The name stands in errors.
func Read(name string, text []byte, sections []Section) (*File, error) {
	root, failed := parse(text)
	if failed != nil {
		return nil, failed.in(name)
	}
	f := &File{name: name, root: root}
	if failed := f.decode(sections); failed != nil {
		return nil, failed.in(name)
	}
	return f, nil
}

func (f *failure) in(name string) error {
	return &Error{File: name, Line: f.line, Column: f.column, Path: pathText(f.path), Err: f.err}
}

// decode fills every section that the file has; they keep the order of sections.
func (f *File) decode(sections []Section) *failure {
	if f.root.kind != isObject {
		return f.root.failf(nil, "an object is expected, not %s", f.root.kind)
	}
	for _, m := range f.root.members {
		if !slices.ContainsFunc(sections, func(s Section) bool { return s.Name == m.name }) {
			return &failure{
				line: m.line, column: m.column,
				err: fmt.Errorf("%q is not known; known are %s", m.name, sectionNames(sections)),
			}
		}
	}
	var d decoder
	for _, s := range sections {
		n := f.root.step(s.Name)
		if n == nil || n.kind == isNull {
			continue
		}
		list := reflect.New(reflect.SliceOf(s.element)).Elem()
		if failed := d.decode(n, list, []any{s.Name}); failed != nil {
			return failed
		}
		f.sections = append(f.sections, filled{s, list})
	}
	f.folders = d.folders
	return nil
}

func sectionNames(sections []Section) string {
	list := make([]string, len(sections))
	for i, s := range sections {
		list[i] = s.Name
	}
	return strings.Join(list, ", ")
}

// Run is what applying a file may use and adds to.
type Run struct {
	// Env are the variables that name what was made, such as the secret of a token.
	Env map[string]string
	// Files are those below a folder that the file names, by their path with slashes.
	Files func(folder string) (map[string]string, error)
}

// variable is the form of a name in Env.
var variable = regexp.MustCompile(`^[A-Z][A-Z0-9_]{0,99}$`)

// Set gives a value the name that the file asks for.
func (r *Run) Set(name, value string) error {
	if !variable.MatchString(name) {
		return fmt.Errorf("%q is not the name of a variable: use A-Z, 0-9 and _", name)
	}
	if _, taken := r.Env[name]; taken {
		return fmt.Errorf("there is a variable %s already", name)
	}
	r.Env[name] = value
	return nil
}

// Apply adds every element in order. What stands before one that is refused stays.
func (f *File) Apply(ctx context.Context, r *Run) (Applied, error) {
	done := Applied{Sections: map[string]int{}}
	if r.Env == nil {
		r.Env = map[string]string{}
	}
	for _, s := range f.sections {
		for i := range s.list.Len() {
			if err := s.apply(ctx, r, s.list.Index(i).Interface()); err != nil {
				return done, f.at(err, s.Name, i)
			}
			done.Sections[s.Name]++
		}
	}
	done.Env = r.Env
	return done, nil
}

// Applied is what a file added.
type Applied struct {
	// Sections counts the elements by section.
	Sections map[string]int `json:"sections"`
	// Env are the variables that the file asked for; secrets are not shown again.
	Env map[string]string `json:"env,omitempty"`
}

// at says where in the file an element was refused.
func (f *File) at(err error, section string, index int) error {
	path := []any{section, index}
	var below *pathError
	if errors.As(err, &below) {
		path, err = append(path, below.path...), below.err
	}
	n := f.root.find(path)
	return &Error{File: f.name, Line: n.line, Column: n.column, Path: pathText(path), Err: err}
}
