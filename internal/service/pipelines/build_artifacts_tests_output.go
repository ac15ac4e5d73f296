package pipelines

import (
	"context"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/service/pipelines/build"
)

// maxMessages bounds how much output one answer of messages holds; file=true has no bound.
const maxMessages = 16 << 20

// Artifacts lists the files of a job.
func (s *Service) Artifacts(ctx context.Context, b build.Build) ([]build.Artifact, error) {
	return build.Artifacts(ctx, s.world.DB, b.ID, s.now())
}

// EachTest hands the tests that a job has reported to fn.
func (s *Service) EachTest(ctx context.Context, b build.Build, fn func(build.TestCase)) error {
	return build.EachTest(ctx, s.world.DB, b.ID, fn)
}

// Messages hands what an action printed to fn, piece by piece, up to a number of bytes.
func (s *Service) Messages(
	ctx context.Context, b build.Build, step, node, limit int, fn func(p build.Piece, text []byte),
) error {
	left := min(limit, maxMessages)
	_, err := build.EachPiece(ctx, s.world.DB, b.ID, step, node, 0, func(p build.Piece, text []byte) error {
		if left <= 0 {
			return build.ErrEnough
		}
		text = text[:min(len(text), left)]
		left -= len(text)
		fn(p, text)
		return nil
	})
	return err
}

// SignedBuild finds a job without looking at rights, for the holder of a signed address.
func (s *Service) SignedBuild(
	ctx context.Context, owner, name string, num int64,
) (r forge.Repository, b build.Build, err error) {
	if r, _, err = s.forge.Find(ctx, owner, name); err != nil {
		return r, b, err
	}
	b, err = s.Build(ctx, r, num)
	return r, b, err
}
