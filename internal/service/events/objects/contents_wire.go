package objects

import (
	"encoding/base64"
	"path"
	"strings"

	"stoa.dev/stoa/internal/forge"
)

// SymlinkMode is the mode of files that name another.
const SymlinkMode = "120000"

// ContentLinks are where a file or folder is found.
type ContentLinks struct {
	Self string  `json:"self"`
	Git  *string `json:"git"`
	HTML *string `json:"html"`
}

// Content is a file or folder.
type Content struct {
	Type        string       `json:"type"`
	Size        int64        `json:"size"`
	Name        string       `json:"name"`
	Path        string       `json:"path"`
	SHA         string       `json:"sha"`
	URL         string       `json:"url"`
	GitURL      *string      `json:"git_url"`
	HTMLURL     *string      `json:"html_url"`
	DownloadURL *string      `json:"download_url"`
	Links       ContentLinks `json:"_links"`
	Content     *string      `json:"content,omitempty"`
	Encoding    *string      `json:"encoding,omitempty"`
	Target      *string      `json:"target,omitempty"`
}

// ContentView is where contents are looked at: in a commit, under the name by which
// the client asked for it.
type ContentView struct {
	Address     RepoAddress
	Ref, Commit string
}

// Content is an entry, with its path from the root.
func (v ContentView) Content(e forge.Entry) Content {
	out := Content{
		Type: "file", Size: e.Size, Name: path.Base(e.Path), Path: e.Path, SHA: e.SHA,
		URL: v.Address.Contents(e.Path, v.Ref),
	}
	git, page := v.Address.API+"/git/blobs/"+e.SHA, v.Address.Page+"/blob/"+EscapePath(v.Ref)+"/"+EscapePath(e.Path)
	raw := v.Address.Raw(v.Commit, e.Path)
	out.DownloadURL, out.GitURL, out.HTMLURL = &raw, &git, &page
	switch {
	case e.Type == "tree":
		git = v.Address.API + "/git/trees/" + e.SHA
		page = v.Address.Page + "/tree/" + EscapePath(v.Ref) + "/" + EscapePath(e.Path)
		out.Type, out.DownloadURL = "dir", nil
	case e.Type == "commit": // of another repository, which is not known
		out.Type, out.DownloadURL, out.GitURL, out.HTMLURL = "submodule", nil, nil, nil
	case e.Mode == SymlinkMode:
		out.Type = "symlink"
	}
	out.Links = ContentLinks{Self: out.URL, Git: out.GitURL, HTML: out.HTMLURL}
	return out
}

// TreeEntry is a line of a tree.
type TreeEntry struct {
	Path string `json:"path"`
	Mode string `json:"mode"`
	Type string `json:"type"`
	SHA  string `json:"sha"`
	Size *int64 `json:"size,omitempty"`
	URL  string `json:"url,omitempty"`
}

// Tree is a folder among git's own objects.
type Tree struct {
	SHA       string      `json:"sha"`
	URL       string      `json:"url"`
	Tree      []TreeEntry `json:"tree"`
	Truncated bool        `json:"truncated"`
}

// TreeEntry is a line of a tree.
func (a RepoAddress) TreeEntry(e forge.Entry) TreeEntry {
	out := TreeEntry{Path: e.Path, Mode: e.Mode, Type: e.Type, SHA: e.SHA}
	switch e.Type {
	case "blob":
		out.Size, out.URL = &e.Size, a.API+"/git/blobs/"+e.SHA
	case "tree":
		out.URL = a.API + "/git/trees/" + e.SHA
	}
	return out
}

// Blob is the content of a file.
type Blob struct {
	Content  string `json:"content"`
	Encoding string `json:"encoding"`
	URL      string `json:"url"`
	SHA      string `json:"sha"`
	Size     int64  `json:"size"`
	NodeID   string `json:"node_id"`
}

// EncodeLines is base64 in lines of sixty characters, each ended.
func EncodeLines(content []byte) string {
	const width = 60
	var b strings.Builder
	for text := base64.StdEncoding.EncodeToString(content); text != ""; {
		n := min(width, len(text))
		b.WriteString(text[:n] + "\n")
		text = text[n:]
	}
	return b.String()
}
