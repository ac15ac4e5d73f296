package web

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"path"
	"strconv"
	"time"

	"stoa.dev/stoa/internal/platform/blob"
	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire/ranges"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/pipelines/build"
	"stoa.dev/stoa/internal/service/pipelines/refusal"
)

// Artifacts and logs that are sent at once: a quarter of them to one owner, half to callers without a token.
const (
	maxDownloads = 128
	downloadWait = 5 * time.Second
)

// reportFactor is how many bytes of memory a byte of a report takes while it is read and written in an answer.
const reportFactor = 4

// Downloads sends what jobs keep and print. The pool bounds answers that last as long as their reader likes.
type Downloads struct {
	world *world.World
	pool  *budget.Pool
}

func newDownloads(w *world.World) *Downloads {
	return &Downloads{world: w, pool: budget.New(budget.Options{
		Name: "pipelines.downloads", Total: maxDownloads, PerOwner: maxDownloads / 4, Anonymous: maxDownloads / 2,
		Wait: downloadWait,
	})}
}

func (d *Downloads) now() time.Time { return d.world.Clock.Now().UTC().Truncate(time.Microsecond) }

// Reserve takes the memory that the tests and artifacts of a job take in an answer, and some more: every reader of a
// public project may ask for them.
func (d *Downloads) Reserve(r *route.Request, buildID, more int64) (*budget.Grant, error) {
	n, err := build.ReportedBytes(r.Context(), d.world.DB, buildID)
	if err != nil {
		return nil, err
	}
	return d.world.Memory.Take(r.Context(), r.Owner(), reportFactor*n+more)
}

func (d *Downloads) artifact(ctx context.Context, buildID int64, node, name string) (build.Artifact, error) {
	n, err := strconv.Atoi(node)
	if err != nil {
		return build.Artifact{}, errNotFound("Artifact not found")
	}
	a, err := build.ArtifactAt(ctx, d.world.DB, buildID, n, name, d.now())
	if errors.Is(err, database.ErrNotFound) {
		return a, errNotFound("Artifact not found")
	}
	return a, err
}

// ServeArtifact sends a file, ranges included. Browsers must not take it for a page of ours.
func (d *Downloads) ServeArtifact(w http.ResponseWriter, r *route.Request, buildID int64, node, name string) error {
	a, err := d.artifact(r.Context(), buildID, node, name)
	if err != nil {
		return err
	}
	grant, err := d.pool.Take(r.Context(), r.Owner(), 1)
	if err != nil {
		return err
	}
	defer grant.Release()
	content, info, err := d.world.Blobs.Open(r.Context(), a.Blob)
	if errors.Is(err, blob.ErrNotFound) {
		return refusal.New(refusal.Gone, "the artifact has expired")
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
	ranges.Serve(w, r.Request, path.Base(name), info.Modified, content)
	return nil
}

// ServeLog sends everything that a job has printed as one text.
func (d *Downloads) ServeLog(w http.ResponseWriter, r *route.Request, buildID int64) error {
	actions, err := build.Actions(r.Context(), d.world.DB, buildID, 0)
	if err != nil {
		return err
	}
	return d.ServeText(w, r, buildID, actions, true)
}

// ServeText sends the output of actions as it is read, so that its size does not matter.
func (d *Downloads) ServeText(
	w http.ResponseWriter, r *route.Request, buildID int64, actions []build.Action, titles bool,
) error {
	grant, err := d.pool.Take(r.Context(), r.Owner(), 1)
	if err != nil {
		return err
	}
	defer grant.Release()
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "private, no-cache")
	out := bufio.NewWriterSize(w, 64<<10)
	for _, a := range actions {
		if titles {
			fmt.Fprintf(out, "==> step %d, node %d\n", a.Step, a.Node)
		}
		_, err := build.EachPiece(r.Context(), d.world.DB, buildID, a.Step, a.Node, 0,
			func(_ build.Piece, text []byte) error {
				_, err := out.Write(text)
				return err
			})
		if err != nil {
			return err
		}
	}
	return out.Flush()
}
