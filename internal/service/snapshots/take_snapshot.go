package snapshots

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"time"

	"stoa.dev/stoa/internal/platform/ids"
	"stoa.dev/stoa/internal/platform/smallbuild"
	"stoa.dev/stoa/internal/service/snapshots/definition"
)

// Snapshot is the answer to a request for a picture.
type Snapshot struct {
	GraphDef    string
	MetricQuery string
	EventQuery  string
	URL         string
}

// TakeSnapshot checks a request, stores it and has its picture drawn. base is
// the address at which the caller reached the service.
func (s *Service) TakeSnapshot(ctx context.Context, t Tenant, base string, r GraphRequest) (Snapshot, error) {
	if err := smallbuild.Lacks(smallbuild.MetricsEngine); err != nil {
		return Snapshot{}, err
	}
	if err := s.check(&r); err != nil {
		return Snapshot{}, err
	}
	r.Own = t.Own
	now := s.world.Clock.Now().UTC()
	g := Graph{ID: ids.Stamp(now) + s.world.IDs.Hex(28), Org: t.Org, Request: r, Created: now}
	if err := g.encode(); err != nil {
		return Snapshot{}, err
	}
	if !s.rendered.known(g.Digest) {
		if _, err := s.plan(r); err != nil {
			return Snapshot{}, err
		}
	}
	g.Path = s.world.Name + "/org_" + strconv.FormatInt(t.Number, 10) + "/" + now.Format(time.DateOnly) + "/" + g.ID
	if s.config.Keep > 0 {
		g.Expires = now.Add(s.config.Keep)
	}
	if err := s.batcher.store(ctx, g); err != nil {
		return Snapshot{}, err
	}
	out := Snapshot{
		GraphDef: r.GraphDef, MetricQuery: r.MetricQuery, EventQuery: r.EventQuery,
		URL: base + viewPrefix + g.Path + ".png",
	}
	if out.GraphDef == "" {
		out.GraphDef = definition.Synthesize(r.MetricQuery)
	}
	return out, nil
}

// encode writes the request as it is stored and names it together with its
// owner.
func (g *Graph) encode() (err error) {
	if g.encoded, err = json.Marshal(g.Request); err != nil {
		return err
	}
	sum := sha256.Sum256(append([]byte(g.Org+"\x00"), g.encoded...))
	g.Digest = hex.EncodeToString(sum[:])
	return nil
}

// Find returns the snapshot behind the path of a picture's address, without the
// ending.
func (s *Service) Find(ctx context.Context, path string) (Graph, error) {
	id := path[max(0, len(path)-40):]
	g, err := graphByID(ctx, s.world.DB, id)
	if err != nil {
		return g, err
	}
	expired := !g.Expires.IsZero() && !s.world.Clock.Now().Before(g.Expires)
	if g.Path != path || expired {
		return Graph{}, errNotFound("snapshot")
	}
	return g, nil
}

// retryAfter is how long a caller should wait for a pending picture.
const retryAfter = time.Second
