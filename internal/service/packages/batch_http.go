package packages

import (
	"fmt"
	"net/http"

	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/packages/batchbody"
)

func (s *Service) handleGetVersionBatch(w http.ResponseWriter, r *route.Request) error {
	var in batchbody.VersionBatchRequest
	if err := wire.ReadJSON(r.Request, &in, wire.AllowGzip(maxBatchBody)); err != nil {
		return err
	}
	keys, err := in.Keys()
	if err != nil {
		return errInvalid("%v", err)
	}

	b, err := s.GetVersionBatch(s.asked(r), keys, in.Token())
	if err != nil {
		return err
	}

	incomplete(w, b)
	return write(w, r, encodeVersionBatch(keys, b))
}

func (s *Service) handlePurlLookupBatch(w http.ResponseWriter, r *route.Request) error {
	var in batchbody.PurlBatchRequest
	if err := wire.ReadJSON(r.Request, &in, wire.AllowGzip(maxBatchBody)); err != nil {
		return err
	}
	purls := in.List()

	b, err := s.PurlLookupBatch(s.asked(r), purls, in.Token())
	if err != nil {
		return err
	}

	incomplete(w, b)
	return write(w, r, encodePurlBatch(purls, b))
}

// incomplete says in a header why a batch left something out: its body has no
// member for that.
func incomplete(w http.ResponseWriter, b batch) {
	if b.unasked > 0 {
		w.Header().Set("Stoa-Incomplete", fmt.Sprintf("%d versions are not in the store and no registry was asked "+
			"about them: a batch and an address may cause so many fetches (packages.batch_fetches, "+
			"packages.fetches_per_hour)", b.unasked))
	}
}

func (s *Service) handleGetProjectBatch(w http.ResponseWriter, r *route.Request) error {
	var in batchbody.ProjectBatchRequest
	if err := wire.ReadJSON(r.Request, &in, wire.AllowGzip(maxBatchBody)); err != nil {
		return err
	}
	ids, err := in.IDs()
	if err != nil {
		return errInvalid("%v", err)
	}

	b, err := s.GetProjectBatch(s.asked(r), ids, in.Token())
	if err != nil {
		return err
	}

	return writeShape(w, r, toProjectBatchJSON(ids, b))
}
