package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"time"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/blob"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/pipelines/build"
	"stoa.dev/stoa/internal/service/pipelines/execute"
)

// executeHost keeps what outlives a node of a job.
type executeHost struct {
	r        *Runner
	build    *build.Build
	repo     forge.Repository
	node     int
	progress *progress
}

var (
	_ execute.Host      = (*executeHost)(nil)
	_ execute.Continuer = (*executeHost)(nil)
)

// Checkout implements execute.Host.
func (h *executeHost) Checkout(ctx context.Context, dir string) error {
	return h.r.o.Forge.Checkout(ctx, h.repo, h.build.Revision, h.build.Branch, dir, h.r.config.Limits.Disk)
}

// storePatience is how long a job waits for a blob store that is away, before its work is lost.
const storePatience = 5 * time.Minute

// blobs is the store as a job sees it.
func (h *executeHost) blobs() blob.Store { return blob.WithRetry(h.r.world.Blobs, storePatience) }

// put keeps bytes under a fresh key.
func (h *executeHost) put(
	ctx context.Context, kind string, content io.Reader, limit int64, life time.Duration,
) (blob.Info, error) {
	key := "pipelines/" + kind + "/" + strconv.FormatInt(h.repo.ID, 10) + "/" + h.r.world.IDs.Hex(32)
	info, err := h.blobs().Put(ctx, key, content, blob.PutOptions{Expires: h.r.now().Add(life), MaxSize: limit})
	if errors.Is(err, blob.ErrTooLarge) {
		return info, fmt.Errorf("%w: there are more than %d bytes", execute.ErrRefused, limit)
	}
	return info, err
}

// record writes a row for bytes that are there, while the job is still ours. The bytes of a row that cannot be written
// are deleted at once.
func (h *executeHost) record(
	ctx context.Context, key string, fn func(ctx context.Context, tx *database.Tx) error,
) error {
	err := h.r.change(ctx, h.repo.ID, func(ctx context.Context, tx *database.Tx) error {
		ours, err := isHeld(ctx, tx, h.build)
		if err != nil {
			return err
		}
		if !ours {
			return build.ErrLeaseLost
		}
		return fn(ctx, tx)
	})
	if err != nil && key != "" && !errors.Is(err, database.ErrUnknown) { // then the row may be there
		return errors.Join(err, h.r.world.Blobs.Delete(context.WithoutCancel(ctx), key))
	}
	return err
}

// checkOwner refuses bytes beyond what the jobs of one owner keep in all projects. Until the transaction ends no other
// adds some of the owner's.
func (h *executeHost) checkOwner(ctx context.Context, tx *database.Tx, size int64) error {
	if err := lockOwner(ctx, tx, h.build.OwnerID); err != nil {
		return err
	}
	used, err := ownerBytes(ctx, tx, h.build.OwnerID, h.r.now())
	if err != nil {
		return err
	}
	if limit := h.r.config.OwnerBytes; used+size > limit {
		return fmt.Errorf("%w: there are %d bytes more, and the account that asked for the job keeps %d of at most "+
			"%d bytes of artifacts, caches and workspaces in all projects", execute.ErrRefused, size, used, limit)
	}
	return nil
}

// SaveCache implements execute.Host.
func (h *executeHost) SaveCache(ctx context.Context, key string, content io.Reader) error {
	r, c := h.r, h.r.config
	if build.Storable(key) != key {
		return fmt.Errorf("%w: the key of the cache is not text", execute.ErrRefused)
	}
	if h.build.NoCache {
		return execute.ErrExists
	}
	taken, err := cacheExists(ctx, r.world.DB, h.repo.ID, key, r.now())
	if err != nil {
		return err
	}
	if taken {
		return execute.ErrExists
	}
	info, err := h.put(ctx, "caches", content, min(c.Limits.Cache, c.CacheBytes), c.CacheLife)
	if err != nil {
		return err
	}
	var evicted []string
	err = h.record(ctx, info.Key, func(ctx context.Context, tx *database.Tx) (err error) {
		if evicted, err = evictCaches(ctx, tx, h.repo.ID, c.CacheBytes-info.Size); err != nil {
			return err
		}
		if err := h.checkOwner(ctx, tx, info.Size); err != nil {
			return err
		}
		fresh, err := insertCache(ctx, tx, h.build, cache{key, info.Key}, info.Size, r.now(), info.Expires)
		if err == nil && !fresh {
			return execute.ErrExists
		}
		return err
	})
	if err != nil {
		return err
	}
	h.deleteBytes(ctx, evicted...)
	return nil
}

// deleteBytes deletes what no row names any more.
func (h *executeHost) deleteBytes(ctx context.Context, keys ...string) {
	for _, key := range keys {
		if err := h.r.world.Blobs.Delete(context.WithoutCancel(ctx), key); err != nil {
			h.r.log.LogAttrs(ctx, slog.LevelWarn, "replaced bytes not deleted, they stay until they expire",
				slog.Int64("job", h.build.ID), slog.Any("error", err))
		}
	}
}

// RestoreCache implements execute.Host.
func (h *executeHost) RestoreCache(ctx context.Context, keys []string) (string, io.ReadCloser, error) {
	if h.build.NoCache {
		return "", nil, nil
	}
	for _, prefix := range keys {
		found, err := newestCache(ctx, h.r.world.DB, h.repo.ID, prefix, h.r.now())
		if errors.Is(err, database.ErrNotFound) {
			continue
		}
		if err != nil {
			return "", nil, err
		}
		content, _, err := h.blobs().Open(ctx, found.blob)
		if errors.Is(err, blob.ErrNotFound) {
			continue
		}
		return found.key, content, err
	}
	return "", nil, nil
}

// Persist implements execute.Host.
func (h *executeHost) Persist(ctx context.Context, content io.Reader) error {
	r, c := h.r, h.r.config
	if h.build.Workflow.WorkspaceID == "" {
		return fmt.Errorf("%w: a job outside of a workflow has no workspace", execute.ErrRefused)
	}
	info, err := h.put(ctx, "workspaces", content, min(c.Limits.Cache, c.WorkspaceBytes), c.WorkspaceLife)
	if err != nil {
		return err
	}
	return h.record(ctx, info.Key, func(ctx context.Context, tx *database.Tx) error {
		used, err := layerBytes(ctx, tx, h.repo.ID, r.now())
		if err != nil {
			return err
		}
		if limit := c.WorkspaceBytes; used+info.Size > limit {
			return fmt.Errorf("%w: the layer has %d bytes, and the project keeps %d of at most %d bytes of workspaces",
				execute.ErrRefused, info.Size, used, limit)
		}
		if err := h.checkOwner(ctx, tx, info.Size); err != nil {
			return err
		}
		return insertLayer(ctx, tx, h.build, info.Key, info.Size, info.Expires)
	})
}

// Attach implements execute.Host.
func (h *executeHost) Attach(ctx context.Context) (io.ReadCloser, error) {
	if h.build.Workflow.WorkspaceID == "" {
		return nil, nil
	}
	layers, err := listLayers(ctx, h.r.world.DB, h.build.Workflow.WorkspaceID, h.r.now())
	if err != nil || len(layers) == 0 {
		return nil, err
	}
	return &layerReader{keys: layers, open: func(key string) (io.ReadCloser, error) {
		content, _, err := h.blobs().Open(ctx, key)
		return content, err
	}}, nil
}

// layerReader reads layers one after the other. It opens each when the one before has ended: there may be thousands,
// and each takes a file or a connection of the server.
type layerReader struct {
	keys []string
	open func(key string) (io.ReadCloser, error)
	now  io.ReadCloser // nil between two layers
}

// Read implements io.Reader.
func (l *layerReader) Read(p []byte) (n int, err error) {
	for n == 0 && err == nil && len(p) > 0 {
		if l.now == nil {
			if len(l.keys) == 0 {
				return 0, io.EOF
			}
			if l.now, err = l.open(l.keys[0]); err != nil {
				l.now = nil
				return 0, err
			}
			l.keys = l.keys[1:]
		}
		if n, err = l.now.Read(p); errors.Is(err, io.EOF) {
			err = l.Close()
		}
	}
	return n, err
}

// Close implements io.Closer.
func (l *layerReader) Close() (err error) {
	if l.now != nil {
		err = l.now.Close()
	}
	l.now = nil
	return err
}

// Artifact implements execute.Host.
func (h *executeHost) Artifact(ctx context.Context, path string, size int64, content io.Reader) error {
	r, c := h.r, h.r.config
	if build.Storable(path) != path {
		return fmt.Errorf("%w: the name of an artifact, %q, is not text", execute.ErrRefused, path)
	}
	info, err := h.put(ctx, "artifacts", content, c.Limits.Artifact, c.ArtifactLife)
	if err != nil {
		return err
	}
	if info.Size != size {
		return errors.Join(
			fmt.Errorf("artifact %s changed from %d to %d bytes while it was read", path, size, info.Size),
			r.world.Blobs.Delete(context.WithoutCancel(ctx), info.Key))
	}
	var replaced []string
	err = h.record(ctx, info.Key, func(ctx context.Context, tx *database.Tx) error {
		used, err := artifactBytes(ctx, tx, h.repo.ID, r.now())
		if err != nil {
			return err
		}
		if limit := c.ArtifactBytes; used+size > limit {
			return fmt.Errorf("%w: %s has %d bytes, and the project keeps %d of at most %d bytes of artifacts",
				execute.ErrRefused, path, size, used, limit)
		}
		if err := h.checkOwner(ctx, tx, size); err != nil {
			return err
		}
		if replaced, err = build.ArtifactBytesAt(ctx, tx, h.build.ID, h.node, path); err != nil {
			return err
		}
		return build.InsertArtifact(ctx, tx, h.build,
			build.Artifact{Node: h.node, Path: path, Size: size, ExpiresAt: info.Expires, Blob: info.Key})
	})
	if err != nil {
		return err
	}
	h.deleteBytes(ctx, replaced...)
	return nil
}

// Tests implements execute.Host.
func (h *executeHost) Tests(ctx context.Context, cases []execute.TestCase) error {
	reported := make([]build.TestCase, len(cases))
	for i, c := range cases {
		reported[i] = build.TestCase(c)
	}
	seq := h.progress.nextReport(h.node)
	return h.record(ctx, "", func(ctx context.Context, tx *database.Tx) error {
		return build.InsertTests(ctx, tx, h.build.ID, h.node, seq, reported)
	})
}

// Continue implements execute.Continuer.
func (h *executeHost) Continue(ctx context.Context, config, parameters []byte) error {
	return h.record(ctx, "", func(ctx context.Context, tx *database.Tx) error {
		return h.r.o.Continued(ctx, tx, h.build, config, parameters)
	})
}
