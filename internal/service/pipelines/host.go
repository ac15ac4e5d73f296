package pipelines

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/blob"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/pipelines/execute"
)

// host keeps what outlives a node of a job.
type host struct {
	service *Service
	build   *Build
	repo    forge.Repository
	node    int
	report  *report
}

var _ execute.Host = (*host)(nil)

// Checkout implements execute.Host.
func (h *host) Checkout(ctx context.Context, dir string) error {
	return h.service.forge.Checkout(ctx, h.repo, h.build.Revision, h.build.Branch, dir, h.service.config.Limits.Disk)
}

// put keeps bytes under a fresh key.
func (h *host) put(ctx context.Context, sort string, r io.Reader, most int64, life time.Duration) (blob.Info, error) {
	s := h.service
	key := "pipelines/" + sort + "/" + strconv.FormatInt(h.repo.ID, 10) + "/" + s.world.IDs.Hex(32)
	info, err := s.world.Blobs.Put(ctx, key, r, blob.PutOptions{Expires: s.now().Add(life), MaxSize: most})
	if errors.Is(err, blob.ErrTooLarge) {
		return info, fmt.Errorf("%w: there are more than %d bytes", execute.ErrRefused, most)
	}
	return info, err
}

// record writes a row for bytes that are there, while the job is still ours.
// The bytes of a row that cannot be written go at once.
func (h *host) record(ctx context.Context, key string, fn func(ctx context.Context, tx *database.Tx) error) error {
	err := h.service.change(ctx, h.repo.ID, func(ctx context.Context, tx *database.Tx) error {
		ours, err := holding(ctx, tx, h.build)
		if err != nil {
			return err
		}
		if !ours {
			return errLeaseLost
		}
		return fn(ctx, tx)
	})
	if err != nil && key != "" {
		return errors.Join(err, h.service.world.Blobs.Delete(context.WithoutCancel(ctx), key))
	}
	return err
}

// ownerRoom refuses bytes beyond what the jobs of one owner keep in all projects.
// Until the transaction ends nobody else adds some of the owner's.
func (h *host) ownerRoom(ctx context.Context, tx *database.Tx, size int64) error {
	if err := lockOwner(ctx, tx, h.build.OwnerID); err != nil {
		return err
	}
	used, err := ownerBytes(ctx, tx, h.build.OwnerID, h.service.now())
	if err != nil {
		return err
	}
	if most := h.service.config.OwnerBytes; used+size > most {
		return fmt.Errorf("%w: there are %d bytes more, and the account that asked for the job keeps %d of at most %d bytes of artifacts, caches and workspaces in all projects",
			execute.ErrRefused, size, used, most)
	}
	return nil
}

// SaveCache implements execute.Host.
func (h *host) SaveCache(ctx context.Context, key string, r io.Reader) error {
	s := h.service
	if storable(key) != key {
		return fmt.Errorf("%w: the key of the cache is no text", execute.ErrRefused)
	}
	if h.build.NoCache {
		return execute.ErrExists
	}
	taken, err := cacheExists(ctx, s.world.DB, h.repo.ID, key, s.now())
	if err != nil {
		return err
	}
	if taken {
		return execute.ErrExists
	}
	info, err := h.put(ctx, "caches", r, min(s.config.Limits.Cache, s.config.CacheBytes), s.config.CacheLife)
	if err != nil {
		return err
	}
	var gone []kept
	err = h.record(ctx, info.Key, func(ctx context.Context, tx *database.Tx) (err error) {
		if gone, err = makeRoom(ctx, tx, h.repo.ID, s.config.CacheBytes-info.Size); err != nil {
			return err
		}
		if err := h.ownerRoom(ctx, tx, info.Size); err != nil {
			return err
		}
		fresh, err := insertCache(ctx, tx, h.repo.ID, h.build.OwnerID, kept{key, info.Key}, info.Size, s.now(), info.Expires)
		if err == nil && !fresh {
			return execute.ErrExists
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, k := range gone {
		if err := s.world.Blobs.Delete(context.WithoutCancel(ctx), k.blob); err != nil {
			s.world.Telemetry.Log.Warn("the bytes of an old cache stay until they expire", "service", Name, "error", err)
		}
	}
	return nil
}

// RestoreCache implements execute.Host.
func (h *host) RestoreCache(ctx context.Context, keys []string) (string, io.ReadCloser, error) {
	s := h.service
	if h.build.NoCache {
		return "", nil, nil
	}
	for _, prefix := range keys {
		found, err := newestCache(ctx, s.world.DB, h.repo.ID, prefix, s.now())
		if errors.Is(err, database.ErrNotFound) {
			continue
		}
		if err != nil {
			return "", nil, err
		}
		r, _, err := s.world.Blobs.Open(ctx, found.blob)
		if errors.Is(err, blob.ErrNotFound) {
			continue
		}
		return found.name, r, err
	}
	return "", nil, nil
}

// Persist implements execute.Host.
func (h *host) Persist(ctx context.Context, r io.Reader) error {
	s := h.service
	if h.build.Workflow.WorkspaceID == "" {
		return fmt.Errorf("%w: a job outside of a workflow has no workspace", execute.ErrRefused)
	}
	info, err := h.put(ctx, "workspaces", r, min(s.config.Limits.Cache, s.config.WorkspaceBytes), s.config.WorkspaceLife)
	if err != nil {
		return err
	}
	return h.record(ctx, info.Key, func(ctx context.Context, tx *database.Tx) error {
		used, err := layerBytes(ctx, tx, h.repo.ID, s.now())
		if err != nil {
			return err
		}
		if most := s.config.WorkspaceBytes; used+info.Size > most {
			return fmt.Errorf("%w: the layer has %d bytes, and the project keeps %d of at most %d bytes of workspaces", execute.ErrRefused, info.Size, used, most)
		}
		if err := h.ownerRoom(ctx, tx, info.Size); err != nil {
			return err
		}
		return insertLayer(ctx, tx, h.build, info.Key, info.Size, info.Expires)
	})
}

// Attach implements execute.Host.
func (h *host) Attach(ctx context.Context) (io.ReadCloser, error) {
	s := h.service
	if h.build.Workflow.WorkspaceID == "" {
		return nil, nil
	}
	layers, err := layersOf(ctx, s.world.DB, h.build.Workflow.WorkspaceID, s.now())
	if err != nil || len(layers) == 0 {
		return nil, err
	}
	all := &stack{}
	for _, l := range layers {
		r, _, err := s.world.Blobs.Open(ctx, l.blob)
		if err != nil {
			return nil, errors.Join(err, all.Close())
		}
		all.parts = append(all.parts, r)
	}
	readers := make([]io.Reader, len(all.parts))
	for i, p := range all.parts {
		readers[i] = p
	}
	all.Reader = io.MultiReader(readers...)
	return all, nil
}

// stack reads layers one after the other.
type stack struct {
	io.Reader
	parts []io.ReadCloser
}

// Close implements io.Closer.
func (s *stack) Close() error {
	var failed []error
	for _, p := range s.parts {
		failed = append(failed, p.Close())
	}
	return errors.Join(failed...)
}

// Artifact implements execute.Host.
func (h *host) Artifact(ctx context.Context, path string, size int64, r io.Reader) error {
	s := h.service
	if storable(path) != path {
		return fmt.Errorf("%w: the name of an artifact, %q, is no text", execute.ErrRefused, path)
	}
	info, err := h.put(ctx, "artifacts", r, s.config.Limits.Artifact, s.config.ArtifactLife)
	if err != nil {
		return err
	}
	if info.Size != size {
		return errors.Join(fmt.Errorf("artifact %s changed from %d to %d bytes while it was read", path, size, info.Size),
			s.world.Blobs.Delete(context.WithoutCancel(ctx), info.Key))
	}
	return h.record(ctx, info.Key, func(ctx context.Context, tx *database.Tx) error {
		used, err := artifactBytes(ctx, tx, h.repo.ID, s.now())
		if err != nil {
			return err
		}
		if most := s.config.ArtifactBytes; used+size > most {
			return fmt.Errorf("%w: %s has %d bytes, and the project keeps %d of at most %d bytes of artifacts", execute.ErrRefused, path, size, used, most)
		}
		if err := h.ownerRoom(ctx, tx, size); err != nil {
			return err
		}
		a := Artifact{BuildID: h.build.ID, Node: h.node, Path: path, Size: size, ExpiresAt: info.Expires, key: info.Key}
		if err := insertArtifact(ctx, tx, h.repo.ID, h.build.OwnerID, a); err != nil {
			return err
		}
		return markArtifacts(ctx, tx, h.build.ID)
	})
}

// Tests implements execute.Host.
func (h *host) Tests(ctx context.Context, cases []execute.TestCase) error {
	results, err := text(cases)
	if err != nil {
		return err
	}
	h.report.mu.Lock()
	h.report.tests[h.node]++
	seq := h.report.tests[h.node]
	h.report.mu.Unlock()
	return h.record(ctx, "", func(ctx context.Context, tx *database.Tx) error {
		return insertTests(ctx, tx, h.build.ID, h.node, seq, results)
	})
}
