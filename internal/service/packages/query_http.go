package packages

import (
	"net/http"
	"net/url"

	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/service/packages/document"
)

func (s *Service) handleQuery(e document.Edition) route.Handler {
	return func(w http.ResponseWriter, r *route.Request) error {
		values, err := url.ParseQuery(r.URL.RawQuery)
		if err != nil {
			return errInvalid("the query string is not well-formed: %v", err)
		}
		selection, err := readSelection(values)
		if err != nil {
			return err
		}
		results, err := s.Query(s.asked(r), selection)
		if err != nil {
			return err
		}
		// The answer is put together in memory.
		memory, err := s.world.Memory.Take(r.Context(), r.Owner(), resultsWeight(results))
		if err != nil {
			return err
		}
		defer memory.Release()
		return write(w, r, encodeResults(results, e, selection.byHash()))
	}
}

func (s *Service) handlePurlLookup(w http.ResponseWriter, r *route.Request) error {
	doc, versioned, err := s.PurlLookup(s.asked(r), r.PathValue("purl"))
	if err != nil {
		return err
	}
	return write(w, r, encodePurlResult(doc, versioned))
}

// resultsWeight is what the results and the answer made of them take.
func resultsWeight(results []result) (n int64) {
	for i := range results {
		n += 2 * int64(len(results[i].doc.All))
	}
	return n
}
