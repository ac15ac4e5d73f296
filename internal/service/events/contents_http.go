package events

import (
	"encoding/base64"
	"net/http"
	"path"
	"strings"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/route"
)

const (
	// maxInline is the largest file that an answer holds as text in JSON.
	maxInline = 1 << 20
	// maxFile is the largest file that is served at all; git fetches larger ones.
	maxFile = 4 << 20
)

func (s *Service) contentRoutes() []route.Route {
	const repo = "/repos/{owner}/{repo}"
	return []route.Route{
		s.reads(repo+"/contents", "get_root_contents", route.Optional, s.readContents),
		s.reads(repo+"/contents/{path...}", "get_contents", route.Optional, s.readContents),
		s.reads(repo+"/readme", "get_readme", route.Optional, s.readReadme),
		s.reads(repo+"/git/trees/{sha}", "get_tree", route.Optional, s.readTree),
		s.reads(repo+"/git/blobs/{sha}", "get_blob", route.Optional, s.readBlob),
		s.reads(repo+"/languages", "list_languages", route.Optional, s.readLanguages),
		s.reads(repo+"/tarball", "get_default_tarball", route.Optional, s.readArchive("tar.gz", "application/gzip")),
		s.reads(repo+"/tarball/{ref...}", "get_tarball", route.Optional, s.readArchive("tar.gz", "application/gzip")),
		s.reads(repo+"/zipball", "get_default_zipball", route.Optional, s.readArchive("zip", "application/zip")),
		s.reads(repo+"/zipball/{ref...}", "get_zipball", route.Optional, s.readArchive("zip", "application/zip")),
		s.reads("/raw/{owner}/{repo}/{sha}/{path...}", "get_raw", route.Optional, s.readRaw),
	}
}

// commitOf is the commit that a query's ref names, or the default branch.
func (s *Service) commitOf(r *route.Request, repo forge.Repository, ref string) (string, error) {
	if ref == "" {
		ref = "refs/heads/" + repo.DefaultBranch
	}
	sha, err := s.forge.Resolve(r.Context(), repo, ref)
	if err != nil {
		return "", s.emptyRepo(repo, err)
	}
	return sha, nil
}

func (s *Service) readContents(r *route.Request) (reply, error) {
	name := strings.Trim(r.PathValue("path"), "/")
	repo, address, err := s.readable(r, "/contents/"+name)
	if err != nil {
		return reply{}, err
	}
	ref := r.Query().Get("ref")
	commit, err := s.commitOf(r, repo, ref)
	if err != nil {
		return reply{}, err
	}
	if ref == "" {
		ref = repo.DefaultBranch
	}
	entry, err := s.forge.EntryAt(r.Context(), repo, commit, name)
	if err != nil {
		return reply{}, fromForge(err)
	}
	view := contentView{address: address, ref: ref, commit: commit}
	if entry.Type != "tree" {
		return s.fileReply(r, repo, view, entry)
	}
	list, err := s.forge.Entries(r.Context(), repo, entry.SHA)
	if err != nil {
		return reply{}, fromForge(err)
	}
	out := make([]contentJSON, 0, len(list))
	for _, e := range list {
		e.Path = path.Join(name, e.Path)
		out = append(out, view.toWire(e))
	}
	return reply{body: out}, nil
}

// fileReply is one file: its bytes for clients that ask for them, else JSON.
func (s *Service) fileReply(r *route.Request, repo forge.Repository, v contentView, e forge.Entry) (reply, error) {
	raw := strings.Contains(r.Header.Get("Accept"), ".raw")
	out := v.toWire(e)
	if e.Type != "blob" || !raw && e.Size > maxInline {
		none := "none"
		if e.Type == "blob" {
			out.Content, out.Encoding = new(string), &none
		}
		return reply{body: out}, nil
	}
	content, err := s.forge.Blob(r.Context(), repo, e.SHA, maxFile)
	if err != nil {
		return reply{}, tooLargeToShow(err)
	}
	if raw {
		return rawReply(content), nil
	}
	if e.Mode == symlinkMode {
		target := string(content)
		out.Target = &target
		return reply{body: out}, nil
	}
	text, form := encodeLines(content), "base64"
	out.Content, out.Encoding = &text, &form
	return reply{body: out}, nil
}

// rawReply is a file as it is. It is called text whatever it holds, so that no browser
// runs it.
func rawReply(content []byte) reply {
	if content == nil {
		content = []byte{}
	}
	media := "text/plain; charset=utf-8"
	if !strings.HasPrefix(http.DetectContentType(content), "text/") {
		media = "application/octet-stream"
	}
	return reply{raw: content, media: media}
}

// encodeLines is base64 in lines of sixty characters, each ended.
func encodeLines(content []byte) string {
	const width = 60
	var b strings.Builder
	for text := base64.StdEncoding.EncodeToString(content); text != ""; {
		n := min(width, len(text))
		b.WriteString(text[:n] + "\n")
		text = text[n:]
	}
	return b.String()
}

func (s *Service) readReadme(r *route.Request) (reply, error) {
	repo, address, err := s.readable(r, "/readme")
	if err != nil {
		return reply{}, err
	}
	ref := r.Query().Get("ref")
	commit, err := s.commitOf(r, repo, ref)
	if err != nil {
		return reply{}, err
	}
	if ref == "" {
		ref = repo.DefaultBranch
	}
	root, err := s.forge.EntryAt(r.Context(), repo, commit, "")
	if err != nil {
		return reply{}, fromForge(err)
	}
	list, err := s.forge.Entries(r.Context(), repo, root.SHA)
	if err != nil {
		return reply{}, fromForge(err)
	}
	for _, e := range list {
		stem, _, _ := strings.Cut(strings.ToLower(e.Path), ".")
		if e.Type == "blob" && e.Mode != symlinkMode && stem == "readme" {
			return s.fileReply(r, repo, contentView{address: address, ref: ref, commit: commit}, e)
		}
	}
	return reply{}, errNotFound()
}

func (s *Service) readTree(r *route.Request) (reply, error) {
	name := r.PathValue("sha")
	repo, address, err := s.readable(r, "/git/trees/"+name)
	if err != nil {
		return reply{}, err
	}
	sha, list, whole, err := s.forge.Tree(r.Context(), repo, name, r.Query().Has("recursive"))
	if err != nil {
		return reply{}, s.emptyRepo(repo, err)
	}
	out := treeJSON{SHA: sha, URL: address.api + "/git/trees/" + sha, Tree: []treeEntryJSON{}, Truncated: !whole}
	for _, e := range list {
		out.Tree = append(out.Tree, address.treeEntry(e))
	}
	return reply{body: out}, nil
}

func (s *Service) readBlob(r *route.Request) (reply, error) {
	sha := r.PathValue("sha")
	repo, address, err := s.readable(r, "/git/blobs/"+sha)
	if err != nil {
		return reply{}, err
	}
	content, err := s.forge.Blob(r.Context(), repo, sha, maxFile)
	if err != nil {
		return reply{}, tooLargeToShow(err)
	}
	if strings.Contains(r.Header.Get("Accept"), ".raw") {
		return rawReply(content), nil
	}
	return reply{body: blobJSON{
		Content: encodeLines(content), Encoding: "base64", URL: address.api + "/git/blobs/" + sha, SHA: sha,
		Size: int64(len(content)), NodeID: "B_" + sha,
	}}, nil
}

func (s *Service) readRaw(r *route.Request) (reply, error) {
	repo, _, err := s.pathRepository(r, func(moved forge.Repository) string {
		return "/raw/" + moved.FullName() + "/" + r.PathValue("sha") + "/" + escapePath(r.PathValue("path"))
	})
	if err == nil {
		err = mayReadContent(r, repo)
	}
	if err != nil {
		return reply{}, err
	}
	content, err := s.forge.File(r.Context(), repo, r.PathValue("sha"), r.PathValue("path"), maxFile)
	if err != nil {
		return reply{}, tooLargeToShow(err)
	}
	return rawReply(content), nil
}

// readArchive packs the files of a revision.
func (s *Service) readArchive(form, media string) reader {
	return func(r *route.Request) (reply, error) {
		word := map[string]string{"zip": "zipball"}[form]
		if word == "" {
			word = "tarball"
		}
		repo, _, err := s.readable(r, "/"+word+"/"+r.PathValue("ref"))
		if err != nil {
			return reply{}, err
		}
		commit, err := s.commitOf(r, repo, r.PathValue("ref"))
		if err != nil {
			return reply{}, err
		}
		packed, err := s.forge.Archive(r.Context(), repo, commit, form)
		return reply{raw: packed, media: media}, tooLargeToShow(err)
	}
}

// readLanguages counts the bytes of each language, known by the files' names.
func (s *Service) readLanguages(r *route.Request) (reply, error) {
	repo, _, err := s.readable(r, "/languages")
	if err != nil || repo.PushedAt.IsZero() {
		return reply{body: struct{}{}}, err
	}
	_, list, _, err := s.forge.Tree(r.Context(), repo, "refs/heads/"+repo.DefaultBranch, true)
	if err != nil {
		return reply{}, fromForge(err)
	}
	bytes := map[string]int64{}
	for _, e := range list {
		if language := languageOf(e.Path); language != "" && e.Type == "blob" {
			bytes[language] += e.Size
		}
	}
	return reply{body: bytes}, nil
}
