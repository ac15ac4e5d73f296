package seed

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"slices"
	"strings"
)

// folder is a member that names one.
type folder struct {
	member
	name, inline string
	path         []any
}

// errFolderForm is for names that are not written on one line as they are.
var errFolderForm = errors.New("write the name of the folder on one line, plainly or in quotes")

// Folders are the names of the folders that a file names.
func (f *File) Folders() (names []string) {
	for _, at := range f.folders {
		names = append(names, at.name)
	}
	return names
}

// Inline is a file with what is in its folders written into it, in Base64, for who
// has only the text. Every line keeps its number.
func Inline(
	name string, text []byte, sections []Section, files func(folder string) (map[string]string, error),
) (string, error) {
	f, err := Read(name, text, sections)
	if err != nil {
		return "", err
	}
	lines := strings.SplitAfter(string(text), "\n")
	slices.SortFunc(f.folders, func(a, b folder) int { return b.column - a.column }) // the last of a line first
	for _, at := range f.folders {
		if err := at.replace(lines, files); err != nil {
			failed := failure{line: at.value.line, column: at.value.column, path: at.path, err: err}
			return "", failed.in(name)
		}
	}
	whole := strings.Join(lines, "")
	_, err = Read(name, []byte(whole), sections)
	return whole, err
}

// replace puts the member with the content in the place of the one with the name.
func (at folder) replace(lines []string, files func(folder string) (map[string]string, error)) error {
	line := []rune(lines[at.line-1])
	begin, value := at.column-1, at.value.column-1
	if at.value.line != at.line || value >= len(line) {
		return errFolderForm
	}
	length := 0
	for _, written := range []string{at.name, `"` + at.name + `"`, "'" + at.name + "'"} {
		if strings.HasPrefix(string(line[value:]), written) {
			length = len([]rune(written))
		}
	}
	if length == 0 {
		return errFolderForm
	}
	content, err := files(at.name)
	if err != nil {
		return err
	}
	encoded := map[string]string{}
	for name, text := range content {
		encoded[name] = base64.StdEncoding.EncodeToString([]byte(text))
	}
	object, err := json.Marshal(encoded)
	if err != nil {
		return err
	}
	lines[at.line-1] = string(line[:begin]) + at.inline + ": " + string(object) + string(line[value+length:])
	return nil
}
