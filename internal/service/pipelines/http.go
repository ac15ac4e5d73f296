package pipelines

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

// gate charges a request to both budgets of its caller: the one for bursts and
// the one for sustained volume.
func (s *Service) gate(w http.ResponseWriter, r *route.Request) (func(), error) {
	key := "ip:" + route.Network(r.Request)
	if r.Caller != nil {
		key = r.Caller.LimitKey()
	}
	l := s.config.Requests
	charges := []limit.Charge{
		{Window: limit.Window{Name: "pipelines.burst", Limit: l.Burst, Per: l.BurstPer}, Key: key, Cost: 1},
		{Window: limit.Window{Name: "pipelines.sustained", Limit: l.Sustained, Per: l.SustainedPer}, Key: key, Cost: 1},
	}
	_, err := s.world.Limits.TakeAll(r.Context(), charges)
	return nil, err
}

// vcsOf is the code host of a path.
func (s *Service) vcsOf(r *route.Request) (vcs, error) {
	name := r.PathValue("vcs")
	for v, names := range s.words.vcsNames {
		if slices.Contains(names, name) {
			return vcs(v), nil
		}
	}
	return vcsA, &Error{Code: CodeNotFound, Message: "vcs-type must be " + s.words.vcsNames[0][0] + " or " + s.words.vcsNames[1][0] + ", not " + clip(name)}
}

// target is the project of a path for a caller who needs a right.
func (s *Service) target(r *route.Request, need right) (forge.Repository, vcs, error) {
	v, err := s.vcsOf(r)
	if err != nil {
		return forge.Repository{}, v, err
	}
	repo, err := s.find(r.Context(), identity.From(r), r.PathValue("username"), r.PathValue("project"), need)
	return repo, v, err
}

// targetOf is target for calls that only a person can make.
func (s *Service) targetOf(r *route.Request, need right) (forge.Repository, vcs, error) {
	if err := personal(identity.From(r)); err != nil {
		return forge.Repository{}, vcsA, err
	}
	return s.target(r, need)
}

// whole reads a number of the query that must not be negative.
func whole(r *route.Request, name string, usual int) (int, error) {
	text := r.Query().Get(name)
	if text == "" {
		return usual, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, errInvalid(name + " must be a number that is not negative, not " + clip(text))
	}
	return n, nil
}

const (
	usualLimit = 30
	mostLimit  = 100
	mostOffset = 1_000_000
)

// window is which part of a list a caller wants.
type window struct {
	limit, offset int
	filter        Filter
	shallow       bool
}

func readWindow(r *route.Request) (w window, err error) {
	if r.URL.RawQuery == "" {
		return window{limit: usualLimit}, nil
	}
	if w.limit, err = whole(r, "limit", usualLimit); err != nil {
		return w, err
	}
	if w.offset, err = whole(r, "offset", 0); err != nil {
		return w, err
	}
	w.limit, w.offset = min(w.limit, mostLimit), min(w.offset, mostOffset)
	w.shallow = r.Query().Get("shallow") == "true"
	w.filter, err = parseFilter(r.Query().Get("filter"))
	return w, err
}

func (s *Service) handleProjectBuilds(w http.ResponseWriter, r *route.Request) error {
	repo, v, err := s.target(r, rightRead)
	if err != nil {
		return err
	}
	part, err := readWindow(r)
	if err != nil {
		return err
	}
	lines, err := projectLines(r.Context(), s.world.DB, repo.ID, part.filter, part.limit, part.offset)
	if err != nil {
		return err
	}
	return s.writeList(w, r, lines, part.shallow, func(line) (forge.Repository, vcs, error) { return repo, v, nil })
}

func (s *Service) handleBranchBuilds(w http.ResponseWriter, r *route.Request) error {
	repo, v, err := s.target(r, rightRead)
	if err != nil {
		return err
	}
	part, err := readWindow(r)
	if err != nil {
		return err
	}
	branch := cleanBranch(r.PathValue("branch"))
	if branch == "" {
		return errNotFound("Branch")
	}
	lines, err := branchLines(r.Context(), s.world.DB, repo.ID, branch, part.filter, part.limit, part.offset)
	if err != nil {
		return err
	}
	return s.writeList(w, r, lines, part.shallow, func(line) (forge.Repository, vcs, error) { return repo, v, nil })
}

// handleRecentBuilds lists what the projects do that a person follows; for a
// project token it is the project's own list.
func (s *Service) handleRecentBuilds(w http.ResponseWriter, r *route.Request) error {
	part, err := readWindow(r)
	if err != nil {
		return err
	}
	lines, err := s.recent(r.Context(), identity.From(r), part, r.Query().Get("mine") == "true")
	if err != nil {
		return err
	}
	seen := map[int64]forge.Repository{}
	return s.writeList(w, r, lines, part.shallow, func(l line) (forge.Repository, vcs, error) {
		repo, ok := seen[l.repoID]
		if ok {
			return repo, vcsA, nil
		}
		repo, err := s.visible(r.Context(), identity.From(r), l.repoID)
		seen[l.repoID] = repo
		return repo, vcsA, err
	})
}

func (s *Service) recent(ctx context.Context, c *identity.Caller, part window, mine bool) ([]line, error) {
	if bound(c) {
		list, err := s.listed(ctx, c)
		if err != nil {
			return nil, err
		}
		repo := list[0]
		return projectLines(ctx, s.world.DB, repo.ID, FilterNone, part.limit, part.offset)
	}
	if err := personal(c); err != nil {
		return nil, err
	}
	if mine {
		return followedOwnLines(ctx, s.world.DB, c.UserID, part.limit, part.offset)
	}
	return followedLines(ctx, s.world.DB, c.UserID, part.limit, part.offset)
}

// visible is a repository that the caller may read; one with the id zero when
// there is none any more.
func (s *Service) visible(ctx context.Context, c *identity.Caller, repoID int64) (forge.Repository, error) {
	repo, err := s.forge.Repository(ctx, repoID)
	if errors.Is(err, forge.ErrNotFound) {
		return forge.Repository{}, nil
	}
	if err != nil {
		return repo, err
	}
	have, err := s.rightOf(ctx, c, repo)
	if err != nil || have < rightRead {
		return forge.Repository{}, err
	}
	return repo, nil
}

// writeList puts a list together from encoded summaries, of which it encodes
// those that are not kept.
func (s *Service) writeList(w http.ResponseWriter, r *route.Request, lines []line, shallow bool, repoOf func(line) (forge.Repository, vcs, error)) error {
	form := formOf(r.Request)
	keys, forms := make([]formKey, 0, len(lines)), make([][]byte, len(lines))
	repos := make([]forge.Repository, 0, len(lines))
	shown := lines[:0:len(lines)]
	for _, l := range lines {
		repo, v, err := repoOf(l)
		if err != nil {
			return err
		}
		if repo.ID == 0 {
			continue
		}
		shown, repos = append(shown, l), append(repos, repo)
		keys = append(keys, formKey{l.id, l.version, repo.FullName(), look{uint8(form), v, shallow}})
	}
	forms = forms[:len(keys)]
	if s.kept.get(keys, forms) > 0 {
		if err := s.encodeMissing(r.Context(), keys, forms, repos); err != nil {
			return err
		}
	}
	out := wire.NewBuilder(form, s.kept.buffer()).Array()
	for _, one := range forms {
		if one != nil {
			out.Embed(one)
		}
	}
	err := write(w, r, http.StatusOK, out.End())
	s.kept.give(out.Bytes())
	return err
}

// encodeMissing reads and encodes what is not kept. A job may have changed
// since it was listed: then its newer form is shown and kept as such.
func (s *Service) encodeMissing(ctx context.Context, keys []formKey, forms [][]byte, repos []forge.Repository) error {
	for i, key := range keys {
		if forms[i] != nil {
			continue
		}
		b, err := buildByID(ctx, s.world.DB, key.id)
		if errors.Is(err, database.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		fragment := wire.NewFragment(wire.Form(key.look.form), 1)
		s.summaryToWire(fragment, job{build: b, repo: repos[i], vcs: key.look.vcs}, key.look.shallow)
		key.version, forms[i] = b.Version, fragment.Bytes()
		s.kept.put(key, forms[i])
	}
	return nil
}

// number is the job number of a path.
func number(text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 {
		return 0, errBuild()
	}
	return n, nil
}

func (s *Service) handleBuild(w http.ResponseWriter, r *route.Request) error {
	repo, v, err := s.target(r, rightRead)
	if err != nil {
		return err
	}
	num, err := number(r.PathValue("build_num"))
	if err != nil {
		return err
	}
	var j job
	err = s.world.DB.Read(r.Context(), func(ctx context.Context, tx *database.Tx) error {
		b, err := s.build(r.Context(), tx, repo, num)
		if err != nil {
			return err
		}
		j, err = s.fullJob(r.Context(), tx, repo, b)
		return err
	})
	if err != nil {
		return err
	}
	j.vcs = v
	out := answer(r)
	s.detailToWire(out, j)
	return write(w, r, http.StatusOK, out)
}

// writeSummary answers with a job.
func (s *Service) writeSummary(w http.ResponseWriter, r *route.Request, status int, repo forge.Repository, v vcs, b Build) error {
	out := answer(r)
	s.summaryToWire(out, job{build: b, repo: repo, vcs: v}, false)
	return write(w, r, status, out)
}
