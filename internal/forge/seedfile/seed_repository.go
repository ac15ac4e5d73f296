package seedfile

import (
	"encoding/base64"
	"errors"
	"maps"
	"unicode/utf8"

	"stoa.dev/stoa/internal/platform/seed"
)

// Repository is an element of the section.
type Repository struct {
	Owner       string `json:"owner" doc:"A user or an organization."`
	Name        string `json:"name" doc:"The name."`
	Actor       string `json:"actor,omitempty" doc:"The user who makes and pushes it; the owner when left out."`
	Description string `json:"description,omitempty" doc:"One line."`
	Private     bool   `json:"private,omitempty" doc:"Whether only those who may read it see it."`

	Folder  string            `json:"folder,omitempty" folder:"base64" doc:"A folder beside the file with the content."`
	Files   map[string]string `json:"files,omitempty" doc:"Texts by their path."`
	Base64  map[string]string `json:"base64,omitempty" doc:"What is not text, by its path."`
	Message string            `json:"message,omitempty" doc:"The message of the one commit."`
	Stars   []string          `json:"stars,omitempty" doc:"Users who starred it."`
}

// Content joins what folder, files and base64 hold.
func (s Repository) Content(run *seed.Run) (map[string]string, error) {
	content := map[string]string{}
	if s.Folder != "" {
		if run.Files == nil {
			return nil, seed.At(errors.New("folders are read from a file only: write the content below files"), "folder")
		}
		files, err := run.Files(s.Folder)
		if err != nil {
			return nil, seed.At(err, "folder")
		}
		content = files
	}
	maps.Copy(content, s.Files)
	for name, text := range s.Base64 {
		data, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return nil, seed.At(err, "base64", name)
		}
		content[name] = string(data)
	}
	return content, nil
}

// Put adds a file of the content.
func (s *Repository) Put(name string, data []byte) {
	to, text := &s.Files, string(data)
	if !utf8.Valid(data) {
		to, text = &s.Base64, base64.StdEncoding.EncodeToString(data)
	}
	if *to == nil {
		*to = map[string]string{}
	}
	(*to)[name] = text
}
