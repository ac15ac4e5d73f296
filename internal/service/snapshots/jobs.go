package snapshots

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"stoa.dev/stoa/internal/platform/blob"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/jobs"
	"stoa.dev/stoa/internal/service/snapshots/events"
	"stoa.dev/stoa/internal/service/snapshots/pictures"
	"stoa.dev/stoa/internal/service/snapshots/refusal"
)

// The kinds of background work.
const (
	renderKind = Name + ".render"
	sweepKind  = Name + ".sweep"
)

// sweep has no payload.
type sweep struct{}

func (s *Service) jobs() []jobs.Registration {
	return []jobs.Registration{
		jobs.Define(jobs.Kind[render]{
			Name:        renderKind,
			About:       "Draws the picture of a snapshot.",
			MaxAttempts: 5, Timeout: time.Minute, Concurrency: s.config.Renderers,
			PerOwner: jobs.Share{Running: max(1, s.config.Renderers-1), Waiting: maxRenders}, Run: s.runRender,
		}),
		jobs.Define(jobs.Kind[sweep]{Name: sweepKind,
			About: "Deletes expired pictures, events that are old or too many and names of metrics without points, and gives " +
				"up pictures that nothing draws.",
			Safe: true, Run: s.runSweep}),
	}
}

// runSweep forgets in batches, between which other writers have their turn.
func (s *Service) runSweep(ctx context.Context, _ jobs.Job, _ sweep) error {
	now := s.world.Clock.Now()
	kept := now.Add(-s.config.Retention)
	for _, forget := range []func() (int64, error){
		func() (int64, error) { return deleteExpired(ctx, s.world.DB, now, sweepBatch) },
		func() (int64, error) { return events.DeleteBefore(ctx, s.world.DB, kept, sweepBatch) },
		func() (int64, error) { return deleteMetadata(ctx, s.world.DB, kept.Add(-2*seenAgain), sweepBatch) },
	} {
		for n := int64(sweepBatch); n == sweepBatch; {
			var err error
			if n, err = forget(); err != nil {
				return err
			}
		}
	}
	if err := s.events.DeleteSurplus(ctx, sweepBatch); err != nil {
		return err
	}
	return failForgotten(ctx, s.world.DB, now.Add(-maxPending))
}

// maxPending is longer than the longest queue of pictures takes. The job of one that waits longer is dead, as after the
// second end of a process that drew it.
const maxPending = 48 * time.Hour

// sweepBatch is how many rows one statement forgets.
const sweepBatch = 1000

// maxRenders is how many different pictures of one owner may wait to be drawn.
const maxRenders = 1000

// render is the payload of a drawing job: which picture is waited for.
type render struct {
	Digest string `json:"digest"`
}

// runRender draws a picture, stores it and hands it to all that wait for it. It
// may run twice: the bytes are named by their hash and a state changes once.
func (s *Service) runRender(ctx context.Context, job jobs.Job, p render) error {
	g, err := waitingGraph(ctx, s.world.DB, p.Digest)
	if refusal.IsMissing(err) {
		return nil // it was drawn with another one, or expired before its turn
	}
	if err != nil {
		return err
	}
	hash, err := s.renderGraph(ctx, g)
	if reason, final := refusalText(err); final {
		return finishGraphs(ctx, s.world.DB, g, Failed, "", reason)
	}
	if err != nil && job.Attempt == job.MaxAttempts {
		// The cause is for the log; the caller learns that it is over.
		return errors.Join(jobs.Permanent(err), finishGraphs(ctx, s.world.DB, g, Failed, "", "internal error"))
	}
	if err != nil {
		return err
	}
	return finishGraphs(ctx, s.world.DB, g, Ready, hash, "")
}

// blobMargin is how much longer bytes are kept than the snapshot that they were
// drawn for: younger ones may share them.
const blobMargin = 24 * time.Hour

// renderGraph draws and stores the bytes and returns their hash.
func (s *Service) renderGraph(ctx context.Context, g Graph) (string, error) {
	p, err := s.plan(g.Request)
	if err != nil {
		return "", err
	}
	tenant := Tenant{Org: g.Org, Own: g.Request.Own}
	// The version is read before the data: what arrives while the picture is
	// drawn makes it old.
	version := s.rendered.version(tenant)
	if hash, ok := s.alreadyDrawn(g, version); ok {
		return hash, nil
	}
	png, err := s.picture(ctx, tenant, p)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(png)
	hash := hex.EncodeToString(sum[:])
	key := pictures.Key(hash)
	if have, err := s.world.Blobs.Stat(ctx, key); err == nil && !expiresBefore(have.Expires, g.Expires) {
		s.rendered.put(g.Digest, cachedRender{version, hash, have.Expires})
		return hash, nil
	}
	o := blob.PutOptions{ContentType: "image/png", SHA256: &sum}
	if !g.Expires.IsZero() {
		o.Expires = g.Expires.Add(blobMargin)
	}
	if _, err = s.world.Blobs.Put(ctx, key, bytes.NewReader(png), o); err != nil {
		return "", fmt.Errorf("store picture: %w", err)
	}
	s.rendered.put(g.Digest, cachedRender{version, hash, o.Expires})
	return hash, nil
}

// alreadyDrawn is the hash of the same picture, drawn before from the same
// data, when its bytes are kept for long enough.
func (s *Service) alreadyDrawn(g Graph, version uint64) (hash string, ok bool) {
	if !s.remembers() {
		return "", false
	}
	p, ok := s.rendered.get(g.Digest, version)
	if !ok || expiresBefore(p.expires, g.Expires) {
		return "", false
	}
	return p.hash, true
}

// remembers reports whether this process sees every write: alone on SQLite, with
// the embedded store.
func (s *Service) remembers() bool {
	return s.world.DB.Engine() == database.SQLite && s.config.Backend == ""
}

// expiresBefore tells that stored bytes would not outlive a snapshot by far
// enough.
func expiresBefore(have, want time.Time) bool {
	return !have.IsZero() && (want.IsZero() || have.Before(want.Add(blobMargin/2)))
}
