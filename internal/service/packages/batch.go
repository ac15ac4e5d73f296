package packages

import (
	"context"
	"crypto/sha256"
	"errors"
	"hash"
	"sync"

	"stoa.dev/stoa/internal/service/packages/catalog"
)

// asked is one entry of a batch: the key to look up, and whether it is one.
type asked struct {
	key catalog.VersionKey
}

// answer is what a batch found for one entry; without bytes it found nothing.
type answer struct {
	doc document
}

// cursor is what a page token holds: where the next page begins.
type cursor struct {
	At int `json:"at"`
}

// batch is a page of answers and the token of the next page, empty at the end.
type batch struct {
	from    int
	answers []answer
	next    string
}

// lookUp answers one page of a batch. The token is bound to all keys, so that
// it cannot be used with another request.
func (s *Service) lookUp(ctx context.Context, operation, token string, list []asked) (batch, error) {
	binding := operation + string(digestOf(list))
	var c cursor
	if token != "" {
		if err := s.sealer.Open(token, binding, &c); err != nil || c.At <= 0 || c.At >= len(list) {
			return batch{}, errInvalid("pageToken is not one of this request: send the token of the previous response with the same requests")
		}
	}
	end := min(c.At+s.config.BatchPage, len(list))
	b := batch{from: c.At, answers: make([]answer, end-c.At)}
	if err := s.fill(ctx, list[c.At:end], b.answers); err != nil {
		return batch{}, err
	}
	if end < len(list) {
		b.next = s.sealer.Seal(cursor{At: end}, binding)
	}
	return b, nil
}

// digestOf condenses the keys of a batch.
func digestOf(list []asked) []byte {
	h := sha256.New()
	for i := range list {
		k := &list[i].key
		hashText(h, string(k.System))
		hashText(h, k.Name)
		hashText(h, k.Version)
	}
	return h.Sum(nil)
}

// hashText writes a text with its length, so that no two lists of texts read
// the same.
func hashText(h hash.Hash, s string) {
	n := len(s)
	_, _ = h.Write([]byte{byte(n >> 8), byte(n)})
	_, _ = h.Write([]byte(s))
}

// fill looks the keys up in the store first, then asks registries for those
// that are missing, as long as the time for that lasts.
func (s *Service) fill(ctx context.Context, list []asked, out []answer) error {
	var missing []int
	for i := range list {
		v, gone, err := s.version(ctx, list[i].key.Canonical())
		if err != nil {
			return err
		}
		if gone || !v.complete {
			missing = append(missing, i)
		}
		if !gone {
			out[i] = answer{doc: v.doc}
		}
	}
	if len(missing) == 0 || s.config.Offline || s.config.BatchPullTime <= 0 {
		return nil
	}
	return s.pullBatch(ctx, list, missing, out)
}

// batchPullers is how many keys of a batch are fetched at once.
const batchPullers = 8

// pullBatch resolves the missing keys side by side. A key that cannot be
// resolved in time stays unanswered; the batch as a whole does not fail.
func (s *Service) pullBatch(ctx context.Context, list []asked, missing []int, out []answer) error {
	limited, cancel := context.WithTimeout(ctx, s.config.BatchPullTime)
	defer cancel()
	next := make(chan int)
	var workers sync.WaitGroup
	for range min(batchPullers, len(missing)) {
		workers.Go(func() {
			for i := range next {
				// Each worker writes places of its own.
				if doc, err := s.resolveVersion(limited, list[i].key.Canonical()); err == nil {
					out[i] = answer{doc: doc}
				}
			}
		})
	}
	for _, i := range missing {
		select {
		case next <- i:
		case <-limited.Done():
		}
	}
	close(next)
	workers.Wait()
	if err := ctx.Err(); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return nil
}

// GetVersionBatch looks many versions up.
func (s *Service) GetVersionBatch(ctx context.Context, keys []catalog.VersionKey, token string) (batch, error) {
	list, err := batchKeys(keys)
	if err != nil {
		return batch{}, err
	}
	return s.lookUp(ctx, "versionbatch", token, list)
}

func batchKeys(keys []catalog.VersionKey) ([]asked, error) {
	if len(keys) > maxBatch {
		return nil, errInvalid("a batch has at most %d requests, not %d", maxBatch, len(keys))
	}
	list := make([]asked, len(keys))
	for i, k := range keys {
		if err := k.Check(); err != nil {
			return nil, errInvalid("requests[%d].versionKey: %v", i, err)
		}
		list[i].key = k
	}
	return list, nil
}

// PurlLookupBatch looks many versions up by their package URLs.
func (s *Service) PurlLookupBatch(ctx context.Context, purls []string, token string) (batch, error) {
	if len(purls) > maxBatch {
		return batch{}, errInvalid("a batch has at most %d requests, not %d", maxBatch, len(purls))
	}
	list := make([]asked, len(purls))
	for i, text := range purls {
		k, err := catalog.ParsePurl(text)
		if err != nil {
			return batch{}, errInvalid("requests[%d].purl: %v", i, err)
		}
		if k.Version == "" {
			return batch{}, errInvalid("requests[%d].purl: %q has no version, which a batch needs", i, text)
		}
		if err := k.Check(); err != nil {
			return batch{}, errInvalid("requests[%d].purl: %v", i, err)
		}
		if k.System == catalog.Go {
			if k.Name, err = s.goName(ctx, k.Name); err != nil {
				return batch{}, err
			}
		}
		list[i].key = k
	}
	return s.lookUp(ctx, "purlbatch", token, list)
}
