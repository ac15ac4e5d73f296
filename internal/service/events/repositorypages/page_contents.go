package repositorypages

import (
	"context"
	"errors"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/service/events/discussions"
	"stoa.dev/stoa/internal/service/events/refusal"
)

// head is what every page of a repository has.
type head struct {
	Repo forge.Repository
	// Root is the repository's page; Ref is what is looked at, and Path where in it.
	Root, Ref, Path string
	Branches        []forge.NamedRef
}

func newHead(r forge.Repository) head { return head{Repo: r, Root: "/" + r.FullName()} }

// appPage shows what an app is and to whom it belongs.
func (p *Pages) appPage(r *route.Request, _ int64) (content, error) {
	app, err := p.Apps.Page(r.Context(), r.PathValue("slug"), "")
	return content{"app", app.Name, app}, err
}

func (p *Pages) ownerPage(r *route.Request, userID int64) (content, error) {
	owner, err := p.Forge.Owner(r.Context(), r.PathValue("owner"))
	if err != nil {
		return content{}, err
	}
	all, err := p.Forge.Repositories(r.Context(), owner.Name)
	if err != nil {
		return content{}, err
	}
	var seen []forge.Repository
	for _, repo := range all {
		may, err := p.Forge.PermissionOf(r.Context(), userID, repo)
		if err != nil {
			return content{}, err
		}
		if may >= forge.Read && len(seen) < maxRows {
			seen = append(seen, repo)
		}
	}
	return content{"owner", owner.Name, struct {
		Name  string
		Repos []forge.Repository
	}{owner.Name, seen}}, nil
}

// at finds the revision that the rest of a path begins with: the longest name of a branch or tag,
// or an object's name. Without a rest it is the default branch.
func (p *Pages) at(ctx context.Context, r *route.Request, repo forge.Repository) (h head, commit string, err error) {
	h = newHead(repo)
	rest := strings.Trim(r.PathValue("rest"), "/")
	if rest == "" {
		h.Ref = repo.DefaultBranch
		commit, err = p.Forge.Resolve(ctx, repo, "refs/heads/"+repo.DefaultBranch)
		return h, commit, err
	}
	parts := strings.Split(rest, "/")
	for n := min(len(parts), 6); n > 0; n-- {
		name := strings.Join(parts[:n], "/")
		for _, revision := range []string{"refs/heads/" + name, "refs/tags/" + name, name} {
			if revision == name && (n > 1 || len(name) < 7) {
				continue
			}
			if commit, err = p.Forge.Resolve(ctx, repo, revision); err == nil {
				h.Ref, h.Path = name, path.Clean(strings.Join(parts[n:], "/"))
				if h.Path == "." {
					h.Path = ""
				}
				return h, commit, nil
			}
		}
	}
	return h, "", refusal.NotFound()
}

func (p *Pages) treePage(r *route.Request, userID int64) (content, error) {
	ctx := r.Context()
	repo, err := p.repository(ctx, r, userID)
	if err != nil {
		return content{}, err
	}
	h, commit, err := p.at(ctx, r, repo)
	if errors.Is(err, forge.ErrNotFound) && r.PathValue("rest") == "" {
		return content{"empty", repo.FullName(), h}, nil // nothing was pushed yet
	}
	if err != nil {
		return content{}, err
	}
	tree := commit
	if h.Path != "" {
		e, err := p.Forge.EntryAt(ctx, repo, commit, h.Path)
		if err != nil || e.Type != "tree" {
			return content{}, errors.Join(err, refusal.NotFound())
		}
		tree = e.SHA
	}
	entries, err := p.Forge.Entries(ctx, repo, tree)
	if err != nil {
		return content{}, err
	}
	slices.SortStableFunc(entries, func(a, b forge.Entry) int { return strings.Compare(b.Type, a.Type) })
	newest, err := p.Forge.Commit(ctx, repo, commit)
	if err != nil {
		return content{}, err
	}
	if h.Branches, err = p.Forge.Branches(ctx, repo); err != nil {
		return content{}, err
	}
	return content{"tree", repo.FullName(), struct {
		head
		Entries []forge.Entry
		Newest  forge.Commit
	}{h, entries, newest}}, nil
}

// tagPage is the files of a tag.
func (p *Pages) tagPage(r *route.Request, userID int64) (content, error) {
	return p.treePage(r, userID)
}

func (p *Pages) blobPage(r *route.Request, userID int64) (content, error) {
	ctx := r.Context()
	repo, err := p.repository(ctx, r, userID)
	if err != nil {
		return content{}, err
	}
	h, commit, err := p.at(ctx, r, repo)
	if err != nil {
		return content{}, err
	}
	e, err := p.Forge.EntryAt(ctx, repo, commit, h.Path)
	if err != nil || e.Type != "blob" {
		return content{}, errors.Join(err, refusal.NotFound())
	}
	text, err := p.Forge.Blob(ctx, repo, e.SHA, maxText)
	if err != nil {
		return content{}, err
	}
	out := struct {
		head
		Entry  forge.Entry
		Text   string
		Binary bool
		Raw    string
	}{h, e, "", !utf8.Valid(text), "/raw/" + repo.FullName() + "/" + commit + "/" + h.Path}
	if !out.Binary {
		out.Text = string(text)
	}
	return content{"blob", h.Path, out}, nil
}

func (p *Pages) commitsPage(r *route.Request, userID int64) (content, error) {
	ctx := r.Context()
	repo, err := p.repository(ctx, r, userID)
	if err != nil {
		return content{}, err
	}
	h, commit, err := p.at(ctx, r, repo)
	if err != nil {
		return content{}, err
	}
	list, more, err := p.Forge.Log(ctx, repo, forge.LogQuery{Revision: commit, Path: h.Path, Limit: maxRows})
	return content{"commits", repo.FullName(), struct {
		head
		Commits []forge.Commit
		More    bool
	}{h, list, more}}, err
}

func (p *Pages) commitPage(r *route.Request, userID int64) (content, error) {
	ctx := r.Context()
	repo, err := p.repository(ctx, r, userID)
	if err != nil {
		return content{}, err
	}
	c, err := p.Forge.Commit(ctx, repo, r.PathValue("sha"))
	if err != nil {
		return content{}, err
	}
	parent := ""
	if len(c.Parents) > 0 {
		parent = c.Parents[0]
	}
	changes, err := p.Forge.Diff(ctx, repo, parent, c.SHA)
	return content{"commit", repo.FullName(), struct {
		head
		Commit  forge.Commit
		Changes []forge.FileChange
	}{newHead(repo), c, changes}}, err
}

// comparePage shows the commits of one revision that another lacks, and what they change.
func (p *Pages) comparePage(r *route.Request, userID int64) (content, error) {
	ctx := r.Context()
	repo, err := p.repository(ctx, r, userID)
	if err != nil {
		return content{}, err
	}
	base, head, ok := strings.Cut(r.PathValue("rest"), "...")
	if !ok {
		return content{}, refusal.NotFound()
	}
	c, err := p.Forge.Compare(ctx, repo, base, head)
	if err != nil {
		return content{}, err
	}
	list, err := p.Forge.Between(ctx, repo, c.Base.SHA, c.Head.SHA, forge.LogQuery{Limit: maxRows})
	if err != nil {
		return content{}, err
	}
	changes, err := p.Forge.Diff(ctx, repo, c.MergeBase.SHA, c.Head.SHA)
	return content{"comparison", repo.FullName(), comparison{newHead(repo), base, head, list, c, changes}}, err
}

// comparison is what the page of two revisions shows.
type comparison struct {
	head
	From, To string
	Commits  []forge.Commit
	Relation forge.Comparison
	Changes  []forge.FileChange
}

func (p *Pages) branchesPage(r *route.Request, userID int64) (content, error) {
	repo, err := p.repository(r.Context(), r, userID)
	if err != nil {
		return content{}, err
	}
	h := newHead(repo)
	h.Branches, err = p.Forge.Branches(r.Context(), repo)
	return content{"branches", repo.FullName(), h}, err
}

func (p *Pages) listPage(pulls bool) maker {
	return func(r *route.Request, userID int64) (content, error) {
		repo, err := p.repository(r.Context(), r, userID)
		if err != nil {
			return content{}, err
		}
		list, err := p.Discussions.Newest(r.Context(), repo, pulls)
		return content{"discussions", repo.FullName(), struct {
			head
			Pulls bool
			List  []discussions.Issue
		}{newHead(repo), pulls, list}}, err
	}
}

func (p *Pages) discussionPage(r *route.Request, userID int64) (content, error) {
	repo, err := p.repository(r.Context(), r, userID)
	if err != nil {
		return content{}, err
	}
	number, err := strconv.ParseInt(r.PathValue("number"), 10, 64)
	if err != nil {
		return content{}, refusal.NotFound()
	}
	i, comments, err := p.Discussions.Shown(r.Context(), repo, number)
	return content{"discussion", i.Title, struct {
		head
		Issue    discussions.Issue
		Comments []discussions.Comment
	}{newHead(repo), i, comments}}, err
}
