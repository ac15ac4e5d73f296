package files

import (
	"context"
	"errors"
	"io"

	"stoa.dev/stoa/internal/platform/blob"
	"stoa.dev/stoa/internal/platform/database"
)

// What is reserved at once for an upload of unknown length: first little, then twice as much each time.
const (
	firstReserved = 1 << 20
	maxReserved   = 64 << 20
)

// appendReserved is append for an upload whose length is not known. Storage is reserved before the bytes come: what
// several uploads of one user bring at the same time counts against all of them.
func (s *Service) appendReserved(ctx context.Context, u Upload, offset int64, body io.Reader) error {
	have, err := s.Received(ctx, u)
	if err == nil && have != offset {
		err = errOffset(&blob.OffsetError{Have: have, Given: offset})
	}
	if err != nil {
		return err
	}
	for more := int64(firstReserved); ; more = min(2*more, maxReserved) {
		fits, err := s.reserve(ctx, u, offset, more)
		if err != nil {
			return err
		}
		if fits == 0 {
			return s.refuseMore(ctx, u, offset, body)
		}
		reached, err := s.append(ctx, u, offset, io.LimitReader(body, fits))
		if reached < offset+fits {
			return errors.Join(err, s.settle(ctx, u, offset+fits, max(reached, offset)))
		}
		if err != nil {
			return err
		}
		offset = reached
	}
}

// reserve counts bytes from an offset on to the storage of an upload's owner, as many as fit.
func (s *Service) reserve(ctx context.Context, u Upload, offset, more int64) (fits int64, err error) {
	err = s.world.DB.WriteKeyed(ctx, storageKey(u.UserID), func(ctx context.Context, tx *database.Tx) error {
		now, err := uploadByDigest(ctx, tx, u.Digest, s.now())
		if errors.Is(err, database.ErrNotFound) || err == nil && now.State != UploadActive {
			return ErrEnded(now)
		}
		if err != nil {
			return err
		}
		used, _, err := usage(ctx, tx, u.UserID, s.now())
		if err != nil {
			return err
		}
		fits = min(more, s.config.MaxStorageBytes-(used-now.Received)-offset)
		if fits <= 0 {
			fits = 0
			return nil
		}
		return updateReceived(ctx, tx, u.Digest, offset+fits)
	})
	return fits, err
}

// settle counts what has come of what was reserved, also when the connection broke. Where another request has reserved
// more meanwhile, that counts.
func (s *Service) settle(ctx context.Context, u Upload, reserved, reached int64) error {
	ctx = context.WithoutCancel(ctx)
	return s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		return lowerReceived(ctx, tx, u.Digest, reserved, reached)
	})
}

// refuseMore ends an upload that goes on where there is no more storage for it.
func (s *Service) refuseMore(ctx context.Context, u Upload, offset int64, body io.Reader) error {
	n, err := io.ReadFull(body, make([]byte, 1))
	switch {
	case n > 0:
		return s.tooLong(ctx, u, offset)
	case errors.Is(err, io.EOF):
		return nil
	}
	return err
}
