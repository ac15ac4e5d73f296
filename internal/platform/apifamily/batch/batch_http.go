package batch

import (
	"context"
	"errors"
	"mime/multipart"
	"net/http"

	"stoa.dev/stoa/internal/platform/fault"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/credential"
	"stoa.dev/stoa/internal/platform/world"
)

// Path is where batches are sent.
const Path = "/batch"

const (
	// maxBatch is the largest batch, maxPart the largest request in it.
	maxBatch = 10 << 20
	maxPart  = 1 << 20
	// defaultParts is how many parts a batch for any API may have.
	defaultParts = 50
)

// Batches answers batches for the modules that have an API.
type Batches struct {
	world   *world.World
	modules []module.Module
	verify  Verify
}

// Verify finds the caller behind a credential that is good for an API of the family. A refusal is a
// *route.CredentialError.
type Verify func(ctx context.Context, c credential.Credential) (route.Caller, error)

// New makes a handler for the modules that belong to the family.
func New(w *world.World, modules []module.Module, verify Verify) *Batches {
	b := &Batches{world: w, verify: verify}
	for _, m := range modules {
		if m.API != nil {
			b.modules = append(b.modules, m)
		}
	}
	return b
}

// Handler serves batches.
func (b *Batches) Handler() http.Handler {
	return route.New(b.world.RouteOptions(route.Options{
		Service: "batch", MaxBody: maxBatch, WriteError: writeError, CORS: &route.CORS{}, Gate: b.findOwner,
	}), b.Routes())
}

// findOwner has the memory of a batch charged to the caller whose credential was verified, before its body is read. One
// that is only claimed is no caller: the batch is its network's, and each part is refused for itself.
func (b *Batches) findOwner(_ http.ResponseWriter, r *route.Request) (func(), error) {
	c, ok := credential.FirstOf(credential.Bearer(), credential.Query("access_token"))(r.Request)
	if !ok || c.Malformed {
		return nil, nil
	}
	caller, err := b.verify(r.Context(), c)
	if err == nil {
		r.Caller = caller
	}
	if errors.As(err, new(*route.CredentialError)) {
		return nil, nil
	}
	return nil, err
}

// Routes is the operation table. A batch holds no place of a request: its parts do.
func (b *Batches) Routes() []route.Route {
	return []route.Route{
		{Method: "POST", Pattern: Path, Name: "batch", Streams: true, Handle: b.handleAny},
		{Method: "POST", Pattern: Path + "/{api}/{version}", Name: "batch.api", Streams: true, Handle: b.handleAPI},
	}
}

// formError is a batch, or a part of one, that cannot be read.
type formError string

// Error says what is wrong.
func (e formError) Error() string { return string(e) }

func writeError(w http.ResponseWriter, r *route.Request, err error) {
	var form formError
	if errors.As(err, &form) {
		fault.Write(w, r, fault.New(http.StatusBadRequest, "INVALID_ARGUMENT", form.Error()))
		return
	}
	fault.Write(w, r, fault.Common(r, err))
}

func (b *Batches) handleAny(w http.ResponseWriter, r *route.Request) error {
	return b.serve(w, r, b.modules, defaultParts)
}

func (b *Batches) handleAPI(w http.ResponseWriter, r *route.Request) error {
	for _, m := range b.modules {
		if m.Is(r.PathValue("api"), r.PathValue("version")) {
			return b.serve(w, r, []module.Module{m}, m.API.BatchParts)
		}
	}
	return route.ErrNoRoute
}

// serve reads the whole batch, then runs its parts.
func (b *Batches) serve(w http.ResponseWriter, r *route.Request, modules []module.Module, most int) error {
	parts, err := readParts(r, most)
	if err != nil {
		return err
	}
	out := multipart.NewWriter(w)
	if err := out.SetBoundary("batch_" + b.world.IDs.Hex(24)); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "multipart/mixed; boundary="+out.Boundary())
	w.Header().Set("Cache-Control", "private, max-age=0")
	w.WriteHeader(http.StatusOK)
	for _, p := range parts {
		if err := r.Context().Err(); err != nil {
			return err
		}
		answer := run(r, p, modules)
		if err := writeAnswer(out, p.id, answer); err != nil {
			return err
		}
	}
	return out.Close()
}
