package packages

import (
	"context"
	"crypto/sha256"
	"errors"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/memo"
	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/document"
)

// batchRequest is what both batch operations come down to.
type batchRequest struct {
	operation string
	token     string
	keys      []catalog.VersionKey
	// folded means that Go names may have lost their letter case.
	folded bool
}

// cursor is what a page token holds: where the next page begins.
type cursor struct {
	At int `json:"at"`
}

// batch is a page of answers and the token of the next page, empty at the
// end. A document without bytes means that nothing was found.
type batch struct {
	from    int
	answers []document.Version
	next    string
	// unasked is how many keys no registry was asked about, because the batch or
	// its caller had caused as many fetches as they may.
	unasked int64
}

// lookUp answers one page of a batch. The token is bound to all keys as they
// were sent, so that it cannot be used with another request and stays good
// whatever is stored meanwhile.
func (s *Service) lookUp(ctx context.Context, r batchRequest) (batch, error) {
	binding := r.operation + string(digestOf(r.keys))
	c, err := s.begin(r.token, binding, len(r.keys))
	if err != nil {
		return batch{}, err
	}
	place, err := s.lookups.Take(ctx, askerOf(ctx).owner(), 1)
	if err != nil {
		return batch{}, err
	}
	defer place.Release()
	end := min(c.At+s.config.BatchPage, len(r.keys))
	keys := make([]catalog.VersionKey, end-c.At)
	for i := range keys {
		keys[i] = r.keys[c.At+i].Canonical()
	}
	answers, unasked, err := s.fill(ctx, keys, r.folded)
	if err != nil {
		return batch{}, err
	}
	answers = fitting(answers)
	end = c.At + len(answers)
	b := batch{from: c.At, answers: answers, unasked: unasked}
	if end < len(r.keys) {
		b.next = s.sealer.Seal(cursor{At: end}, binding)
	}
	return b, nil
}

// begin is where the page of a token begins, of so many requests.
func (s *Service) begin(token, binding string, requests int) (c cursor, err error) {
	if token == "" {
		return c, nil
	}
	if err := s.sealer.Open(token, binding, &c); err != nil || c.At <= 0 || c.At >= requests {
		return c, errInvalid("pageToken is not one of this request: " +
			"send the token of the previous response with the same requests")
	}
	return c, nil
}

// maxPage bounds the documents of a page: a key may be asked for many times.
const maxPage = 16 << 20

// fitting is the first answers that fit on a page, one at least.
func fitting(answers []document.Version) []document.Version {
	size := 0
	for i := range answers {
		if size += len(answers[i].All); size > maxPage && i > 0 {
			return answers[:i]
		}
	}
	return answers
}

// digestOf condenses the keys of a batch.
func digestOf(keys []catalog.VersionKey) []byte {
	texts := make([]string, 0, 3*len(keys))
	for i := range keys {
		texts = append(texts, string(keys[i].System), keys[i].Name, keys[i].Version)
	}
	return digestOfTexts(texts)
}

// digestOfTexts condenses the texts of a batch, each with its length, so that no two lists read the same.
func digestOfTexts(list []string) []byte {
	h := sha256.New()
	for _, text := range list {
		n := len(text)
		_, _ = h.Write([]byte{byte(n >> 8), byte(n)}) // a hash never fails
		_, _ = h.Write([]byte(text))
	}
	return h.Sum(nil)
}

// fill looks the keys up in the store first, then asks registries for those
// that are missing, as long as the time for that lasts.
func (s *Service) fill(ctx context.Context, keys []catalog.VersionKey, folded bool) ([]document.Version, int64, error) {
	found, err := s.versionsOf(ctx, keys)
	if err != nil {
		return nil, 0, err
	}
	keys = keys[:len(found)]
	if folded {
		if err := s.unfold(ctx, keys, found); err != nil {
			return nil, 0, err
		}
	}
	out := make([]document.Version, len(keys))
	var missing []int
	for i := range found {
		out[i] = found[i].doc
		if !found[i].complete {
			missing = append(missing, i)
		}
	}
	if len(missing) == 0 || s.config.Offline || s.config.BatchPullTime <= 0 {
		return out, 0, nil
	}
	unasked, err := s.readBatch(withFetches(ctx, s.config.BatchFetches), keys, missing, out)
	return out, unasked, err
}

// unfold finds the Go modules whose names lost their letter case.
func (s *Service) unfold(ctx context.Context, keys []catalog.VersionKey, found []stored) error {
	for i := range keys {
		k := &keys[i]
		if k.System != catalog.Go || found[i].doc.All != nil {
			continue
		}
		name, err := s.goName(ctx, k.Name)
		if err != nil {
			return err
		}
		if name == k.Name {
			continue
		}
		k.Name = name
		v, missing, err := s.version(ctx, *k)
		if err != nil {
			return err
		}
		if !missing {
			found[i] = v
		}
	}
	return nil
}

// lookUpRows is how many keys share a statement.
const lookUpRows = 64

// absentVersion is where a key is asked for that is not in memory.
type absentVersion struct {
	places []int
	mark   memo.Mark
}

// versionsOf looks many versions up, in memory and then in the store. Those
// that are not there have no bytes. It gives fewer than were asked for once they
// are more than a page holds.
func (s *Service) versionsOf(ctx context.Context, keys []catalog.VersionKey) ([]stored, error) {
	out := make([]stored, len(keys))
	absent, size := map[catalog.VersionKey]absentVersion{}, 0
	flush := func() error {
		have, err := findVersions(ctx, s.world.DB, slices.Collect(maps.Keys(absent)))
		for k, v := range have {
			s.versions.PutSince(versionCacheKey(k), v, absent[k].mark)
			for _, at := range absent[k].places {
				out[at], size = v, size+len(v.doc.All)
			}
		}
		clear(absent)
		return err
	}
	for i, k := range keys {
		v, mark, ok := s.versions.Look(versionCacheKey(k))
		if ok {
			out[i], size = v, size+len(v.doc.All)
		} else {
			absent[k] = absentVersion{append(absent[k].places, i), mark}
		}
		if len(absent) == lookUpRows || size > maxPage {
			if err := flush(); err != nil {
				return nil, err
			}
		}
		if size > maxPage {
			return out[:i+1], nil
		}
	}
	if len(absent) == 0 {
		return out, nil
	}
	return out, flush()
}

// batchPullers is how many keys of a batch are fetched at once.
const batchPullers = 8

// readBatch resolves the missing keys side by side. A key that cannot be
// resolved in time stays unanswered; the batch as a whole does not fail.
func (s *Service) readBatch(
	ctx context.Context, keys []catalog.VersionKey, missing []int, out []document.Version,
) (int64, error) {
	limited, cancel := context.WithTimeout(ctx, s.config.BatchPullTime)
	defer cancel()
	next := make(chan int)
	var unasked atomic.Int64
	var workers sync.WaitGroup
	for range min(batchPullers, len(missing)) {
		workers.Go(func() {
			for i := range next {
				// Each worker writes places of its own.
				doc, err := s.resolveVersion(limited, keys[i])
				if err == nil {
					out[i] = doc
				}
				var exceeded *limit.Exceeded
				if errors.Is(err, errBatchFetches) || errors.As(err, &exceeded) {
					unasked.Add(1)
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
		return 0, err
	}
	return unasked.Load(), nil
}

// errBatchFetches means that a batch has caused as many fetches as it may.
var errBatchFetches = errors.New("the request has caused as many fetches as one may")

// GetVersionBatch looks many versions up.
func (s *Service) GetVersionBatch(ctx context.Context, keys []catalog.VersionKey, token string) (batch, error) {
	if err := checkBatch(len(keys)); err != nil {
		return batch{}, err
	}
	for i, k := range keys {
		if err := k.Check(); err != nil {
			return batch{}, errInvalid("requests[%d].versionKey: %v", i, err)
		}
	}
	return s.lookUp(ctx, batchRequest{operation: "versionbatch", token: token, keys: keys})
}

// PurlLookupBatch looks many versions up by their package URLs.
func (s *Service) PurlLookupBatch(ctx context.Context, purls []string, token string) (batch, error) {
	if err := checkBatch(len(purls)); err != nil {
		return batch{}, err
	}
	keys := make([]catalog.VersionKey, len(purls))
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
		keys[i] = k
	}
	return s.lookUp(ctx, batchRequest{operation: "purlbatch", token: token, keys: keys, folded: true})
}

func checkBatch(n int) error {
	if n > maxBatch {
		return errInvalid("a batch has at most %d requests, not %d", maxBatch, n)
	}
	return nil
}

// projectBatch is a page of projects and the token of the next one. A project that
// is nil is not known.
type projectBatch struct {
	from    int
	answers []*project
	next    string
}

// projectPage is how many projects a page has: each is read from all its versions.
const projectPage = 100

// GetProjectBatch looks many projects up.
func (s *Service) GetProjectBatch(ctx context.Context, ids []string, token string) (projectBatch, error) {
	if err := checkBatch(len(ids)); err != nil {
		return projectBatch{}, err
	}
	for i, id := range ids {
		if _, ok := catalog.ProjectID(id); !ok {
			return projectBatch{}, errInvalid("requests[%d].projectKey: %v", i, errProjectID(id))
		}
	}
	binding := "projectbatch" + string(digestOfTexts(ids))
	c, err := s.begin(token, binding, len(ids))
	if err != nil {
		return projectBatch{}, err
	}
	place, err := s.lookups.Take(ctx, askerOf(ctx).owner(), 1)
	if err != nil {
		return projectBatch{}, err
	}
	defer place.Release()
	b := projectBatch{from: c.At}
	for _, id := range ids[c.At:min(c.At+projectPage, len(ids))] {
		p, err := s.GetProject(ctx, id)
		switch {
		case isNotFound(err):
			b.answers = append(b.answers, nil)
		case err != nil:
			return projectBatch{}, err
		default:
			b.answers = append(b.answers, &p)
		}
	}
	if end := c.At + len(b.answers); end < len(ids) {
		b.next = s.sealer.Seal(cursor{At: end}, binding)
	}
	return b, nil
}
