package events

import (
	"errors"
	"path"
	"strings"

	"stoa.dev/stoa/internal/forge"
)

const symlinkMode = "120000"

type contentLinksJSON struct {
	Self string  `json:"self"`
	Git  *string `json:"git"`
	HTML *string `json:"html"`
}

type contentJSON struct {
	Type        string           `json:"type"`
	Size        int64            `json:"size"`
	Name        string           `json:"name"`
	Path        string           `json:"path"`
	SHA         string           `json:"sha"`
	URL         string           `json:"url"`
	GitURL      *string          `json:"git_url"`
	HTMLURL     *string          `json:"html_url"`
	DownloadURL *string          `json:"download_url"`
	Links       contentLinksJSON `json:"_links"`
	Content     *string          `json:"content,omitempty"`
	Encoding    *string          `json:"encoding,omitempty"`
	Target      *string          `json:"target,omitempty"`
}

// contentView is where contents are looked at: in a commit, under the name by which
// the client asked for it.
type contentView struct {
	address     repoAddress
	ref, commit string
}

func (v contentView) toWire(e forge.Entry) contentJSON {
	out := contentJSON{
		Type: "file", Size: e.Size, Name: path.Base(e.Path), Path: e.Path, SHA: e.SHA,
		URL: v.address.contents(e.Path, v.ref),
	}
	git, page := v.address.api+"/git/blobs/"+e.SHA, v.address.page+"/blob/"+escapePath(v.ref)+"/"+escapePath(e.Path)
	raw := v.address.raw(v.commit, e.Path)
	out.DownloadURL, out.GitURL, out.HTMLURL = &raw, &git, &page
	switch {
	case e.Type == "tree":
		git = v.address.api + "/git/trees/" + e.SHA
		page = v.address.page + "/tree/" + escapePath(v.ref) + "/" + escapePath(e.Path)
		out.Type, out.DownloadURL = "dir", nil
	case e.Type == "commit": // of another repository, which is not known
		out.Type, out.DownloadURL, out.GitURL, out.HTMLURL = "submodule", nil, nil, nil
	case e.Mode == symlinkMode:
		out.Type = "symlink"
	}
	out.Links = contentLinksJSON{Self: out.URL, Git: out.GitURL, HTML: out.HTMLURL}
	return out
}

type treeEntryJSON struct {
	Path string `json:"path"`
	Mode string `json:"mode"`
	Type string `json:"type"`
	SHA  string `json:"sha"`
	Size *int64 `json:"size,omitempty"`
	URL  string `json:"url,omitempty"`
}

type treeJSON struct {
	SHA       string          `json:"sha"`
	URL       string          `json:"url"`
	Tree      []treeEntryJSON `json:"tree"`
	Truncated bool            `json:"truncated"`
}

func (a repoAddress) treeEntry(e forge.Entry) treeEntryJSON {
	out := treeEntryJSON{Path: e.Path, Mode: e.Mode, Type: e.Type, SHA: e.SHA}
	switch e.Type {
	case "blob":
		out.Size, out.URL = &e.Size, a.api+"/git/blobs/"+e.SHA
	case "tree":
		out.URL = a.api + "/git/trees/" + e.SHA
	}
	return out
}

type blobJSON struct {
	Content  string `json:"content"`
	Encoding string `json:"encoding"`
	URL      string `json:"url"`
	SHA      string `json:"sha"`
	Size     int64  `json:"size"`
	NodeID   string `json:"node_id"`
}

// tooLargeToShow is fromForge for content: what is too large is refused as the code
// host does it, with 403.
func tooLargeToShow(err error) error {
	if errors.Is(err, forge.ErrTooLarge) {
		return errForbidden("This API returns content of limited size: %s.", err)
	}
	return fromForge(err)
}

// languageOf knows a language by the end of a file's name; empty means none.
func languageOf(name string) string {
	switch strings.ToLower(path.Ext(name)) {
	case ".go":
		return "Go"
	case ".py":
		return "Python"
	case ".js", ".mjs", ".cjs", ".jsx":
		return "JavaScript"
	case ".ts", ".tsx", ".mts":
		return "TypeScript"
	case ".java":
		return "Java"
	case ".kt", ".kts":
		return "Kotlin"
	case ".c", ".h":
		return "C"
	case ".cc", ".cpp", ".cxx", ".hpp", ".hh":
		return "C++"
	case ".cs":
		return "C#"
	case ".rb":
		return "Ruby"
	case ".rs":
		return "Rust"
	case ".php":
		return "PHP"
	case ".swift":
		return "Swift"
	case ".scala":
		return "Scala"
	case ".sh", ".bash":
		return "Shell"
	case ".html", ".htm":
		return "HTML"
	case ".css":
		return "CSS"
	case ".sql":
		return "SQL"
	}
	if path.Base(name) == "Makefile" {
		return "Makefile"
	}
	return ""
}
