package pipelines

import (
	"context"
	"encoding/json"
	"errors"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/blob"
	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/pipelines/execute"
)

// latest stands for the number of the newest job.
const latest = "latest"

// handleBuildResource is GET below the number of a job.
func (s *Service) handleBuildResource(w http.ResponseWriter, r *route.Request) error {
	parts := strings.Split(r.PathValue("resource"), "/")
	if parts[0] == "output" && len(parts) == 3 {
		return s.serveOutput(w, r, parts[1], parts[2])
	}
	repo, v, err := s.target(r, rightRead)
	if err != nil {
		return err
	}
	b, err := s.named(r, repo)
	if err != nil {
		return err
	}
	switch {
	case parts[0] == "artifacts" && len(parts) == 1:
		return s.serveArtifacts(w, r, repo, v, b)
	case parts[0] == "artifacts" && len(parts) > 2:
		return s.serveArtifact(w, r, b, parts[1], strings.Join(parts[2:], "/"))
	case parts[0] == "tests" && len(parts) == 1:
		return s.serveTests(w, r, b)
	case parts[0] == "log" && len(parts) == 1:
		return s.serveLog(w, r, b)
	case parts[0] == "workflow" && len(parts) == 1:
		return s.serveWorkflow(w, r, repo, v, b)
	}
	return route.ErrNoRoute
}

// named is the job of a path: by number, or the newest that branch, filter and
// job of the query admit.
func (s *Service) named(r *route.Request, repo forge.Repository) (Build, error) {
	if r.PathValue("build_num") == latest {
		filter, err := parseFilter(r.Query().Get("filter"))
		if err != nil {
			return Build{}, err
		}
		return s.Latest(r.Context(), repo, r.Query().Get("branch"), r.Query().Get("job"), filter)
	}
	return s.buildAt(r, repo)
}

// buildAt is the job with the number in a path.
func (s *Service) buildAt(r *route.Request, repo forge.Repository) (Build, error) {
	num, err := number(r.PathValue("build_num"))
	if err != nil {
		return Build{}, err
	}
	return s.Build(r.Context(), repo, num)
}

// weighed is how many bytes of memory a byte of a report takes while it is read
// and written in an answer.
const weighed = 4

// weigh reserves the memory that the tests and artifacts of a job take, and some
// more. Whoever may read a public project may ask for them.
func (s *Service) weigh(r *route.Request, buildID, more int64) (*budget.Grant, error) {
	n, err := reportedBytes(r.Context(), s.world.DB, buildID)
	if err != nil {
		return nil, err
	}
	return s.world.Memory.Take(r.Context(), r.Owner(), weighed*n+more)
}

func (s *Service) serveArtifacts(w http.ResponseWriter, r *route.Request, repo forge.Repository, v vcs, b Build) error {
	memory, err := s.weigh(r, b.ID, 0)
	if err != nil {
		return err
	}
	defer memory.Release()
	list, err := artifactsOf(r.Context(), s.world.DB, b.ID, s.now())
	if err != nil {
		return err
	}
	out := answer(r).Array()
	for _, a := range list {
		out.Object()
		putText(out, "path", a.Path)
		putText(out, "pretty_path", a.Path)
		putInt(out, "node_index", int64(a.Node))
		putText(out, "url", s.artifactURL(repo, v, b.Num, a))
		putInt(out, "size", a.Size)
		out.End()
	}
	return write(w, r, http.StatusOK, out.End())
}

// artifactURL is a stable address that takes the same tokens as the API.
func (s *Service) artifactURL(repo forge.Repository, v vcs, num int64, a Artifact) string {
	segments := strings.Split(a.Path, "/")
	for i, segment := range segments {
		segments[i] = escape(segment)
	}
	return s.apiURL(repo, v, num) + "/artifacts/" + strconv.Itoa(a.Node) + "/" + strings.Join(segments, "/")
}

// serveArtifact sends a file, ranges included. Browsers must not take it for a
// page of ours.
func (s *Service) serveArtifact(w http.ResponseWriter, r *route.Request, b Build, node, name string) error {
	n, err := strconv.Atoi(node)
	if err != nil {
		return errNotFound("Artifact")
	}
	a, err := artifactAt(r.Context(), s.world.DB, b.ID, n, name, s.now())
	if errors.Is(err, database.ErrNotFound) {
		return errNotFound("Artifact")
	}
	if err != nil {
		return err
	}
	place, err := s.downloads.Take(r.Context(), r.Owner(), 1)
	if err != nil {
		return err
	}
	defer place.Release()
	content, info, err := s.world.Blobs.Open(r.Context(), a.key)
	if errors.Is(err, blob.ErrNotFound) {
		return errGone("the artifact has expired")
	}
	if err != nil {
		return err
	}
	defer content.Close()
	h := w.Header()
	media := mime.TypeByExtension(path.Ext(name))
	if media == "" {
		media = "application/octet-stream"
	}
	h.Set("Content-Type", media)
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "private, no-cache")
	http.ServeContent(w, r.Request, path.Base(name), info.Modified, content)
	return nil
}

// serveTests answers with the cases that a job has reported.
func (s *Service) serveTests(w http.ResponseWriter, r *route.Request, b Build) error {
	memory, err := s.weigh(r, b.ID, 0)
	if err != nil {
		return err
	}
	defer memory.Release()
	parts, err := testsOf(r.Context(), s.world.DB, b.ID)
	if err != nil {
		return err
	}
	out := answer(r).Object()
	out.Key("tests").Array()
	for _, part := range parts {
		var cases []execute.TestCase
		if err := json.Unmarshal([]byte(part), &cases); err != nil {
			return err
		}
		for _, c := range cases {
			testToWire(out, c)
		}
	}
	out.End().Key("exceptions").Array().End()
	return write(w, r, http.StatusOK, out.End())
}

func testToWire(w *wire.Builder, c execute.TestCase) {
	w.Object()
	putWord(w, "message", c.Message)
	putWord(w, "file", c.File)
	putWord(w, "source", c.Source)
	putText(w, "source_type", "junit")
	w.Key("run_time").Float(c.Seconds)
	putText(w, "result", c.Result)
	putText(w, "name", c.Name)
	putText(w, "classname", c.Class)
	w.End()
}

// serveWorkflow lists the jobs of the same workflow, which clients otherwise
// have to gather from lists.
func (s *Service) serveWorkflow(w http.ResponseWriter, r *route.Request, repo forge.Repository, v vcs, b Build) error {
	if b.Workflow.ID == "" {
		return errNotFound("Workflow")
	}
	all, err := workflowBuilds(r.Context(), s.world.DB, b.Workflow.ID)
	if err != nil {
		return err
	}
	out := answer(r).Object()
	putText(out, "workflow_id", b.Workflow.ID)
	putText(out, "workflow_name", b.Workflow.Name)
	putText(out, "status", workflowStatus(all))
	out.Key("jobs").Array()
	for _, one := range all {
		s.summaryToWire(out, job{build: one, repo: repo, vcs: v}, true)
	}
	return write(w, r, http.StatusOK, out.End().End())
}

// workflowStatus is the state of the whole: running, on_hold, failing, success,
// failed or canceled.
func workflowStatus(all []Build) string {
	newest := map[string]Build{}
	for _, b := range all {
		newest[b.JobName] = b
	}
	count := map[string]int{}
	for _, b := range newest {
		count[part(b)]++
	}
	switch {
	case count["active"] > 0 && count["failed"] > 0:
		return "failing"
	case count["active"] > 0:
		return "running"
	case count["held"] > 0:
		return "on_hold"
	case count["waiting"] > 0:
		return "running"
	case count["failed"] > 0:
		return "failed"
	case count["canceled"] > 0:
		return "canceled"
	}
	return "success"
}

// part is what a job contributes to the state of its workflow.
func part(b Build) string {
	switch {
	case b.State.Lifecycle == Queued, b.State.Lifecycle == Running:
		return "active"
	case b.Workflow.Approval && b.State.Lifecycle == NotRunning:
		return "held"
	case b.State.Lifecycle == NotRunning:
		return "waiting"
	case b.State.Outcome == Canceled:
		return "canceled"
	case b.State.Lifecycle == Finished && b.State.Outcome != Success && b.State.Outcome != NoTests:
		return "failed"
	}
	return "good"
}

// handleStatus says how a branch stands, for badges of one's own.
func (s *Service) handleStatus(w http.ResponseWriter, r *route.Request) error {
	repo, v, err := s.target(r, rightStatus)
	if err != nil {
		return err
	}
	branch := r.Query().Get("branch")
	if branch == "" {
		branch = repo.DefaultBranch
	}
	out := answer(r).Object()
	putText(out, "branch", branch)
	b, err := s.Latest(r.Context(), repo, branch, r.Query().Get("job"), FilterCompleted)
	if isOwn(err) {
		return write(w, r, http.StatusOK, out.Key("status").Text("no_builds").Key("build_num").Null().End())
	}
	if err != nil {
		return err
	}
	putText(out, "status", string(b.State.Status))
	putInt(out, "build_num", b.Num)
	putText(out, "build_url", s.buildURL(repo, v, b.Num))
	return write(w, r, http.StatusOK, out.End())
}

// handleDeleteCaches forgets every cache of a project.
func (s *Service) handleDeleteCaches(w http.ResponseWriter, r *route.Request) error {
	repo, _, err := s.target(r, rightWrite)
	if err != nil {
		return err
	}
	var gone []kept
	err = s.change(r.Context(), repo.ID, func(ctx context.Context, tx *database.Tx) (err error) {
		gone, err = dropCaches(r.Context(), tx, repo.ID)
		return err
	})
	if err != nil {
		return err
	}
	for _, k := range gone {
		// What is left goes when it expires.
		if err := s.world.Blobs.Delete(r.Context(), k.blob); err != nil {
			return err
		}
	}
	return write(w, r, http.StatusOK, answer(r).Object().Key("status").Text("build caches deleted").End())
}
