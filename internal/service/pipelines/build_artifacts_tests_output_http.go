package pipelines

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/pipelines/build"
	"stoa.dev/stoa/internal/service/pipelines/project"
	"stoa.dev/stoa/internal/service/pipelines/refusal"
	"stoa.dev/stoa/internal/service/pipelines/vcs"
)

// latest stands for the number of the newest job.
const latest = "latest"

// handleBuildResource is GET below the number of a job.
func (s *Service) handleBuildResource(w http.ResponseWriter, r *route.Request) error {
	parts := strings.Split(r.PathValue("resource"), "/")
	if parts[0] == "output" && len(parts) == 3 {
		return s.serveOutput(w, r, parts[1], parts[2])
	}
	t, err := s.target(r, project.RightRead)
	if err != nil {
		return err
	}
	b, err := s.namedBuild(r, t)
	if err != nil {
		return err
	}
	switch {
	case parts[0] == "artifacts" && len(parts) == 1:
		return s.serveArtifacts(w, r, t, b)
	case parts[0] == "artifacts" && len(parts) > 2:
		return s.web.ServeArtifact(w, r, b.ID, parts[1], strings.Join(parts[2:], "/"))
	case parts[0] == "tests" && len(parts) == 1:
		return s.serveTests(w, r, b)
	case parts[0] == "log" && len(parts) == 1:
		return s.web.ServeLog(w, r, b.ID)
	case parts[0] == "workflow" && len(parts) == 1:
		return s.serveWorkflow(w, r, t, b)
	}
	return route.ErrNoRoute
}

// namedBuild is the job of a path: by number, or the newest that branch, filter and job of the query admit.
func (s *Service) namedBuild(r *route.Request, t target) (build.Build, error) {
	if r.PathValue("build_num") == latest {
		filter, err := parseFilter(r.Query().Get("filter"))
		if err != nil {
			return build.Build{}, err
		}
		return s.Latest(r.Context(), t.repo, r.Query().Get("branch"), r.Query().Get("job"), filter)
	}
	num, err := numberOf(r)
	if err != nil {
		return build.Build{}, err
	}
	return s.Build(r.Context(), t.repo, num)
}

// artifactJSON has an address that stays and takes the same tokens as the API.
type artifactJSON struct {
	Path       wire.Text `json:"path"`
	PrettyPath wire.Text `json:"pretty_path"`
	NodeIndex  int       `json:"node_index"`
	URL        string    `json:"url"`
	Size       int64     `json:"size"`
}

func (s *Service) serveArtifacts(w http.ResponseWriter, r *route.Request, t target, b build.Build) error {
	memory, err := s.web.Reserve(r, b.ID, 0)
	if err != nil {
		return err
	}
	defer memory.Release()
	list, err := s.Artifacts(r.Context(), b)
	if err != nil {
		return err
	}
	out := make([]artifactJSON, 0, len(list))
	base := s.names.APIURL(s.world.URL(r.Context()), t.repo, t.kind, b.Num)
	for _, a := range list {
		out = append(out, artifactJSON{
			Path: wire.Text(a.Path), PrettyPath: wire.Text(a.Path), NodeIndex: a.Node, Size: a.Size,
			URL: base + vcs.ArtifactPath(a.Node, a.Path),
		})
	}
	return respond(w, r, http.StatusOK, out)
}

type testsJSON struct {
	Tests      []testJSON `json:"tests"`
	Exceptions []struct{} `json:"exceptions"`
}

type testJSON struct {
	Message    optional    `json:"message"`
	File       optional    `json:"file"`
	Source     optional    `json:"source"`
	SourceType string      `json:"source_type"`
	RunTime    json.Number `json:"run_time"`
	Result     string      `json:"result"`
	Name       wire.Text   `json:"name"`
	Class      wire.Text   `json:"classname"`
}

func (s *Service) serveTests(w http.ResponseWriter, r *route.Request, b build.Build) error {
	memory, err := s.web.Reserve(r, b.ID, 0)
	if err != nil {
		return err
	}
	defer memory.Release()
	form := formOf(r.Request)
	out := testsJSON{Tests: []testJSON{}, Exceptions: []struct{}{}}
	err = s.EachTest(r.Context(), b, func(c build.TestCase) {
		out.Tests = append(out.Tests, testJSON{
			Message: optional(c.Message), File: optional(c.File), Source: optional(c.Source), SourceType: "junit",
			RunTime: form.Fraction(c.Seconds), Result: c.Result, Name: wire.Text(c.Name), Class: wire.Text(c.Class),
		})
	})
	if err != nil {
		return err
	}
	return respond(w, r, http.StatusOK, out)
}

// outputJSON is a piece of what an action printed.
type outputJSON struct {
	Type    string    `json:"type"`
	Time    optional  `json:"time"`
	Message wire.Text `json:"message"`
}

// serveOutput answers with what one action printed: as messages, or with file=true as text. A signed address needs no
// token.
func (s *Service) serveOutput(w http.ResponseWriter, r *route.Request, stepText, nodeText string) error {
	step, err1 := strconv.Atoi(stepText)
	node, err2 := strconv.Atoi(nodeText)
	if err1 != nil || err2 != nil {
		return errNotFound("Output not found")
	}
	b, err := s.readableBuild(r, step, node)
	if err != nil {
		return err
	}
	if r.Query().Get("file") == "true" {
		return s.web.ServeText(w, r, b.ID, []build.Action{{Step: step, Node: node}}, false)
	}
	limit, err := queryInt(r, "truncate", maxMessages)
	if err != nil {
		return err
	}
	limit = min(limit, maxMessages)
	memory, err := s.world.Memory.Take(r.Context(), r.Owner(), 2*int64(limit))
	if err != nil {
		return err
	}
	defer memory.Release()
	out := []outputJSON{}
	err = s.Messages(r.Context(), b, step, node, limit, func(p build.Piece, text []byte) {
		out = append(out, outputJSON{p.Kind, stamp(p.At), wire.Text(text)})
	})
	if err != nil {
		return err
	}
	return respond(w, r, http.StatusOK, out)
}

// readableBuild is a job whose output the caller may read, by right or by signature.
func (s *Service) readableBuild(r *route.Request, step, node int) (build.Build, error) {
	t, refused := s.target(r, project.RightRead)
	if refused == nil {
		return s.namedBuild(r, t)
	}
	if !refusal.Has(refused) || r.Query().Get("signature") == "" {
		return build.Build{}, refused
	}
	num, err := numberOf(r)
	if err != nil {
		return build.Build{}, errNotFound("Output not found")
	}
	repo, b, err := s.SignedBuild(r.Context(), r.PathValue("username"), r.PathValue("project"), num)
	if err != nil {
		return build.Build{}, refused
	}
	signed, err := s.isSigned(r.Context(), r.Query(), repo, b.ID, step, node)
	if err == nil && !signed {
		err = refused
	}
	return b, err
}
