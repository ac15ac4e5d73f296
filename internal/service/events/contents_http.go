package events

import (
	"net/http"
	"path"
	"strings"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/service/events/objects"
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
		s.readsLarge(repo+"/contents", "get_root_contents", s.handleContents),
		s.readsLarge(repo+"/contents/{path...}", "get_contents", s.handleContents),
		s.readsLarge(repo+"/readme", "get_readme", s.handleReadme),
		s.readsLarge(repo+"/git/trees/{sha}", "get_tree", s.handleTree),
		s.readsLarge(repo+"/git/blobs/{sha}", "get_blob", s.handleBlob),
		s.readsLarge(repo+"/languages", "list_languages", s.handleLanguages),
		s.readsLarge(repo+"/tarball", "get_default_tarball", s.handleArchive("tarball", "tar.gz", "application/gzip")),
		s.readsLarge(repo+"/tarball/{ref...}", "get_tarball", s.handleArchive("tarball", "tar.gz", "application/gzip")),
		s.readsLarge(repo+"/zipball", "get_default_zipball", s.handleArchive("zipball", "zip", "application/zip")),
		s.readsLarge(repo+"/zipball/{ref...}", "get_zipball", s.handleArchive("zipball", "zip", "application/zip")),
		s.readsLarge("/raw/{owner}/{repo}/{sha}/{path...}", "get_raw", s.handleRaw),
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

func (s *Service) handleContents(r *route.Request) (reply, error) {
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
	view := objects.ContentView{Address: address, Ref: ref, Commit: commit}
	if entry.Type != "tree" {
		return s.fileReply(r, repo, view, entry)
	}
	list, err := s.forge.Entries(r.Context(), repo, entry.SHA)
	if err != nil {
		return reply{}, fromForge(err)
	}
	out := make([]objects.Content, 0, len(list))
	for _, e := range list {
		e.Path = path.Join(name, e.Path)
		out = append(out, view.Content(e))
	}
	return reply{body: out}, nil
}

// fileReply is one file: its bytes for clients that ask for them, else JSON.
func (s *Service) fileReply(
	r *route.Request, repo forge.Repository, v objects.ContentView, e forge.Entry,
) (reply, error) {
	raw := strings.Contains(r.Header.Get("Accept"), ".raw")
	out := v.Content(e)
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
	if e.Mode == objects.SymlinkMode {
		target := string(content)
		out.Target = &target
		return reply{body: out}, nil
	}
	text, form := objects.EncodeLines(content), "base64"
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

func (s *Service) handleReadme(r *route.Request) (reply, error) {
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
		if e.Type == "blob" && e.Mode != objects.SymlinkMode && stem == "readme" {
			return s.fileReply(r, repo, objects.ContentView{Address: address, Ref: ref, Commit: commit}, e)
		}
	}
	return reply{}, errNotFound()
}

func (s *Service) handleTree(r *route.Request) (reply, error) {
	name := r.PathValue("sha")
	repo, address, err := s.readable(r, "/git/trees/"+name)
	if err != nil {
		return reply{}, err
	}
	sha, list, whole, err := s.forge.Tree(r.Context(), repo, name, r.Query().Has("recursive"))
	if err != nil {
		return reply{}, s.emptyRepo(repo, err)
	}
	out := objects.Tree{SHA: sha, URL: address.API + "/git/trees/" + sha, Tree: []objects.TreeEntry{}, Truncated: !whole}
	for _, e := range list {
		out.Tree = append(out.Tree, address.TreeEntry(e))
	}
	return reply{body: out}, nil
}

func (s *Service) handleBlob(r *route.Request) (reply, error) {
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
	return reply{body: objects.Blob{
		Content: objects.EncodeLines(content), Encoding: "base64", URL: address.API + "/git/blobs/" + sha, SHA: sha,
		Size: int64(len(content)), NodeID: "B_" + sha,
	}}, nil
}

func (s *Service) handleRaw(r *route.Request) (reply, error) {
	repo, _, err := s.pathRepository(r, func(moved forge.Repository) string {
		return "/raw/" + moved.FullName() + "/" + r.PathValue("sha") + "/" + objects.EscapePath(r.PathValue("path"))
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

// handleArchive packs the files of a revision.
func (s *Service) handleArchive(word, form, media string) reader {
	return func(r *route.Request) (reply, error) {
		repo, _, err := s.readable(r, "/"+word+"/"+r.PathValue("ref"))
		if err != nil {
			return reply{}, err
		}
		commit, err := s.commitOf(r, repo, r.PathValue("ref"))
		if err != nil {
			return reply{}, err
		}
		packed, err := s.forge.Archive(r.Context(), repo, commit, form)
		file := strings.ReplaceAll(repo.FullName(), "/", "-") + "-" + commit[:min(len(commit), 7)] + "." + form
		return reply{raw: packed, media: media, file: file}, tooLargeToShow(err)
	}
}

// handleLanguages counts the bytes of each language, known by the files' names.
func (s *Service) handleLanguages(r *route.Request) (reply, error) {
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
		if language := objects.LanguageOf(e.Path); language != "" && e.Type == "blob" {
			bytes[language] += e.Size
		}
	}
	return reply{body: bytes}, nil
}
