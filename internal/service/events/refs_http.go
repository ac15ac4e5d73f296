package events

import (
	"strings"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/route"
)

func (s *Service) refRoutes() []route.Route {
	const repo = "/repos/{owner}/{repo}"
	return []route.Route{
		s.reads(repo+"/branches", "list_branches", route.Optional, s.readBranches),
		s.reads(repo+"/branches/{branch...}", "get_branch", route.Optional, s.readBranch),
		s.reads(repo+"/tags", "list_tags", route.Optional, s.readTags),
		s.reads(repo+"/git/refs", "list_refs", route.Optional, s.readRefs),
		s.reads(repo+"/git/refs/{ref...}", "list_refs_below", route.Optional, s.readRefs),
		s.reads(repo+"/git/matching-refs/{ref...}", "list_matching_refs", route.Optional, s.readRefs),
		s.reads(repo+"/git/ref/{ref...}", "get_ref", route.Optional, s.readRef),
		s.reads(repo+"/git/tags/{sha}", "get_tag", route.Optional, s.readTag),
	}
}

type branchJSON struct {
	Name      string     `json:"name"`
	Commit    objectJSON `json:"commit"`
	Protected bool       `json:"protected"`
}

func (s *Service) readBranches(r *route.Request) (reply, error) {
	repo, address, err := s.readable(r, "/branches")
	if err != nil {
		return reply{}, err
	}
	all, err := s.forge.Branches(r.Context(), repo)
	if err != nil {
		return reply{}, fromForge(err)
	}
	at := listPage(r)
	out := []branchJSON{}
	for _, b := range cut(all, at) {
		out = append(out, branchJSON{
			Name: forge.ShortRef(b.Name), Commit: objectJSON{SHA: b.Commit, URL: address.api + "/commits/" + b.Commit},
		})
	}
	return s.listReply(r, out, at, int64(len(all))), nil
}

type linkPairJSON struct {
	Self string `json:"self"`
	HTML string `json:"html"`
}

type fullBranchJSON struct {
	Name      string         `json:"name"`
	Commit    repoCommitJSON `json:"commit"`
	Links     linkPairJSON   `json:"_links"`
	Protected bool           `json:"protected"`
}

func (s *Service) readBranch(r *route.Request) (reply, error) {
	name := r.PathValue("branch")
	repo, address, err := s.readable(r, "/branches/"+name)
	if err != nil {
		return reply{}, err
	}
	found, err := s.forge.NamedRef(r.Context(), repo, "refs/heads/"+name)
	if err != nil {
		return reply{}, fromForge(err)
	}
	c, err := s.forge.Commit(r.Context(), repo, found.Commit)
	return reply{body: fullBranchJSON{
		Name: name, Commit: address.commit(c), Links: linkPairJSON{
			Self: address.api + "/branches/" + escapePath(name), HTML: address.page + "/tree/" + escapePath(name),
		},
	}}, fromForge(err)
}

type tagJSON struct {
	Name       string     `json:"name"`
	Commit     objectJSON `json:"commit"`
	ZipballURL string     `json:"zipball_url"`
	TarballURL string     `json:"tarball_url"`
	NodeID     string     `json:"node_id"`
}

func (s *Service) readTags(r *route.Request) (reply, error) {
	repo, address, err := s.readable(r, "/tags")
	if err != nil {
		return reply{}, err
	}
	all, err := s.forge.Tags(r.Context(), repo)
	if err != nil {
		return reply{}, fromForge(err)
	}
	at := listPage(r)
	out := []tagJSON{}
	for _, t := range cut(all, at) {
		ref := escapePath(t.Name)
		out = append(out, tagJSON{
			Name: forge.ShortRef(t.Name), Commit: objectJSON{SHA: t.Commit, URL: address.api + "/commits/" + t.Commit},
			ZipballURL: address.api + "/zipball/" + ref, TarballURL: address.api + "/tarball/" + ref,
			NodeID: "REF_" + t.SHA,
		})
	}
	return s.listReply(r, out, at, int64(len(all))), nil
}

type refJSON struct {
	Ref    string     `json:"ref"`
	NodeID string     `json:"node_id"`
	URL    string     `json:"url"`
	Object objectJSON `json:"object"`
}

func (a repoAddress) ref(n forge.NamedRef) refJSON {
	folder := map[string]string{"tag": "/git/tags/", "commit": "/git/commits/"}[n.Type]
	return refJSON{
		Ref: n.Name, NodeID: "REF_" + n.SHA, URL: a.api + "/git/ref/" + escapePath(strings.TrimPrefix(n.Name, "refs/")),
		Object: objectJSON{SHA: n.SHA, Type: n.Type, URL: a.api + folder + n.SHA},
	}
}

// readRefs lists refs whose names begin with what the path says.
func (s *Service) readRefs(r *route.Request) (reply, error) {
	repo, address, err := s.readable(r, "/git/matching-refs/"+r.PathValue("ref"))
	if err != nil {
		return reply{}, err
	}
	all, err := s.forge.NamedRefs(r.Context(), repo, "refs/"+r.PathValue("ref"))
	if err != nil {
		return reply{}, fromForge(err)
	}
	at := listPage(r)
	out := []refJSON{}
	for _, n := range cut(all, at) {
		out = append(out, address.ref(n))
	}
	return s.listReply(r, out, at, int64(len(all))), nil
}

func (s *Service) readRef(r *route.Request) (reply, error) {
	repo, address, err := s.readable(r, "/git/ref/"+r.PathValue("ref"))
	if err != nil {
		return reply{}, err
	}
	found, err := s.forge.NamedRef(r.Context(), repo, "refs/"+r.PathValue("ref"))
	return reply{body: address.ref(found)}, fromForge(err)
}

type tagObjectJSON struct {
	NodeID       string           `json:"node_id"`
	Tag          string           `json:"tag"`
	SHA          string           `json:"sha"`
	URL          string           `json:"url"`
	Message      string           `json:"message"`
	Tagger       signatureJSON    `json:"tagger"`
	Object       objectJSON       `json:"object"`
	Verification verificationJSON `json:"verification"`
}

func (s *Service) readTag(r *route.Request) (reply, error) {
	repo, address, err := s.readable(r, "/git/tags/"+r.PathValue("sha"))
	if err != nil {
		return reply{}, err
	}
	t, err := s.forge.Tag(r.Context(), repo, r.PathValue("sha"))
	if err != nil {
		return reply{}, fromForge(err)
	}
	folder := map[string]string{"tag": "/git/tags/", "tree": "/git/trees/", "blob": "/git/blobs/"}[t.TargetType]
	if folder == "" {
		folder = "/git/commits/"
	}
	return reply{body: tagObjectJSON{
		NodeID: "TA_" + t.SHA, Tag: t.Name, SHA: t.SHA, URL: address.api + "/git/tags/" + t.SHA, Message: t.Message,
		Tagger: signatureToWire(t.Tagger), Verification: unverified(),
		Object: objectJSON{SHA: t.Target, Type: t.TargetType, URL: address.api + folder + t.Target},
	}}, nil
}
