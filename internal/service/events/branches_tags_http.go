package events

import (
	"errors"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/service/events/objects"
	"stoa.dev/stoa/internal/service/events/operation"
)

func (s *Service) refRoutes() []route.Route {
	const repo = "/repos/{owner}/{repo}"
	return []route.Route{
		s.reads(repo+"/branches", "list_branches", route.Optional, s.handleBranches),
		s.reads(repo+"/branches/{branch...}", "get_branch", route.Optional, s.handleBranch),
		s.reads(repo+"/tags", "list_tags", route.Optional, s.handleTags),
		s.reads(repo+"/git/refs", "list_refs", route.Optional, s.handleRefs),
		s.reads(repo+"/git/refs/{ref...}", "list_refs_below", route.Optional, s.handleRefs),
		s.reads(repo+"/git/matching-refs/{ref...}", "list_matching_refs", route.Optional, s.handleRefs),
		s.reads(repo+"/git/ref/{ref...}", "get_ref", route.Optional, s.handleRef),
		s.changing("DELETE", repo+"/git/refs/{ref...}", "delete_ref", s.handleDeleteRef),
		s.reads(repo+"/git/tags/{sha}", "get_tag", route.Optional, s.handleTag),
	}
}

func (s *Service) handleBranches(r *route.Request) (reply, error) {
	repo, address, err := s.readable(r, "/branches")
	if err != nil {
		return reply{}, err
	}
	all, err := s.forge.Branches(r.Context(), repo)
	if err != nil {
		return reply{}, fromForge(err)
	}
	at := listPage(r)
	out := []objects.Branch{}
	for _, b := range cut(all, at) {
		out = append(out, objects.Branch{
			Name: forge.ShortRef(b.Name), Commit: objects.Object{SHA: b.Commit, URL: address.API + "/commits/" + b.Commit},
		})
	}
	return s.listReply(r, out, at, int64(len(all))), nil
}

func (s *Service) handleBranch(r *route.Request) (reply, error) {
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
	return reply{body: objects.FullBranch{
		Name: name, Commit: address.Commit(c), Links: objects.BranchLinks{
			Self: address.API + "/branches/" + objects.EscapePath(name),
			HTML: address.Page + "/tree/" + objects.EscapePath(name),
		},
	}}, fromForge(err)
}

func (s *Service) handleTags(r *route.Request) (reply, error) {
	repo, address, err := s.readable(r, "/tags")
	if err != nil {
		return reply{}, err
	}
	all, err := s.forge.Tags(r.Context(), repo)
	if err != nil {
		return reply{}, fromForge(err)
	}
	at := listPage(r)
	out := []objects.Tag{}
	for _, t := range cut(all, at) {
		ref := objects.EscapePath(t.Name)
		out = append(out, objects.Tag{
			Name: forge.ShortRef(t.Name), Commit: objects.Object{SHA: t.Commit, URL: address.API + "/commits/" + t.Commit},
			ZipballURL: address.API + "/zipball/" + ref, TarballURL: address.API + "/tarball/" + ref,
			NodeID: address.RefNodeID(t.Name),
		})
	}
	return s.listReply(r, out, at, int64(len(all))), nil
}

// handleRefs lists refs whose names begin with what the path says.
func (s *Service) handleRefs(r *route.Request) (reply, error) {
	repo, address, err := s.readable(r, "/git/matching-refs/"+r.PathValue("ref"))
	if err != nil {
		return reply{}, err
	}
	all, err := s.forge.NamedRefs(r.Context(), repo, "refs/"+r.PathValue("ref"))
	if err != nil {
		return reply{}, fromForge(err)
	}
	at := listPage(r)
	out := []objects.Ref{}
	for _, n := range cut(all, at) {
		out = append(out, address.Ref(n))
	}
	return s.listReply(r, out, at, int64(len(all))), nil
}

func (s *Service) handleRef(r *route.Request) (reply, error) {
	repo, address, err := s.readable(r, "/git/ref/"+r.PathValue("ref"))
	if err != nil {
		return reply{}, err
	}
	found, err := s.forge.NamedRef(r.Context(), repo, "refs/"+r.PathValue("ref"))
	return reply{body: address.Ref(found)}, fromForge(err)
}

// handleDeleteRef takes away a branch or a tag.
func (s *Service) handleDeleteRef(r *route.Request) (operation.Result, error) {
	host := s.host()
	at, err := host.Changing(r, forge.Write, forge.ScopeContentsWrite)
	if err != nil {
		return operation.Result{}, err
	}
	err = s.forge.DeleteRef(r.Context(), at.Repo, "refs/"+r.PathValue("ref"), at.Actor)
	if errors.Is(err, forge.ErrNotFound) {
		err = errInvalidField("ref", "Reference does not exist")
	}
	return operation.Empty(), fromForge(err)
}

func (s *Service) handleTag(r *route.Request) (reply, error) {
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
	return reply{body: objects.TagObject{
		NodeID: "TA_" + t.SHA, Tag: t.Name, SHA: t.SHA, URL: address.API + "/git/tags/" + t.SHA, Message: t.Message,
		Tagger: objects.NewSignature(t.Tagger), Verification: objects.Unverified(),
		Object: objects.Object{SHA: t.Target, Type: t.TargetType, URL: address.API + folder + t.Target},
	}}, nil
}
