package answers

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// Book is what was answered, by service.
type Book map[string]Operations

// Operations are the answers of one service, by "METHOD path".
type Operations map[string]Statuses

// Statuses are the answers of one operation, by status.
type Statuses map[string]Media

// Media are the bodies of one status, by media type. A body that is not JSON
// has an open shape; an answer without a body has none.
type Media map[string]*Shape

// Add notes one answer.
func (b Book) Add(service, operation, status, media string, s *Shape) {
	if b[service] == nil {
		b[service] = Operations{}
	}
	if b[service][operation] == nil {
		b[service][operation] = Statuses{}
	}
	if b[service][operation][status] == nil {
		b[service][operation][status] = Media{}
	}
	if media != "" {
		known := b[service][operation][status]
		known[media] = Merge(known[media], s)
	}
}

// Merge adds everything of another book.
func (b Book) Merge(other Book) {
	for service, operations := range other {
		for operation, statuses := range operations {
			for status, media := range statuses {
				b.Add(service, operation, status, "", nil)
				for kind, s := range media {
					b.Add(service, operation, status, kind, s)
				}
			}
		}
	}
}

// Save writes the book under a name of its own in a folder, for Gather.
func (b Book) Save(folder string) error {
	if len(b) == 0 {
		return nil
	}
	text, err := json.Marshal(b)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(folder, "book-*.json")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}

// Gather merges all books of a folder.
func Gather(folder string) (Book, error) {
	names, err := filepath.Glob(filepath.Join(folder, "book-*.json"))
	if err != nil {
		return nil, err
	}
	all := Book{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		var one Book
		if err := json.Unmarshal(text, &one); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all.Merge(one)
	}
	return all, nil
}

// Read is what a NAME.json says, nothing when there is none.
func Read(folder, service string) (Operations, error) {
	text, err := os.ReadFile(filepath.Join(folder, service+".json"))
	if errors.Is(err, fs.ErrNotExist) {
		return Operations{}, nil
	}
	if err != nil {
		return nil, err
	}
	var out Operations
	return out, json.Unmarshal(text, &out)
}

// Write puts a NAME.json for every service into the folder.
func (b Book) Write(folder string) error {
	for service, operations := range b {
		var out bytes.Buffer
		out.WriteString("{\n")
		for i, name := range slices.Sorted(maps.Keys(operations)) {
			if i > 0 {
				out.WriteString(",\n")
			}
			encoder := json.NewEncoder(&out)
			encoder.SetEscapeHTML(false)
			if err := encoder.Encode(name); err != nil {
				return err
			}
			out.Truncate(out.Len() - 1)
			out.WriteString(": ")
			if err := encoder.Encode(operations[name]); err != nil {
				return err
			}
			out.Truncate(out.Len() - 1)
		}
		out.WriteString("\n}\n")
		if err := os.WriteFile(filepath.Join(folder, service+".json"), out.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}
