package labels

import (
	"io"
	"net/http"

	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

func (s *Service) handleGetLabel(w http.ResponseWriter, r *route.Request) error {
	if err := refuseBody(r.Request); err != nil {
		return err
	}
	name, err := limitsName(r)
	if err != nil {
		return err
	}

	limits, err := s.GetLabel(r.Context(), name)
	if err != nil {
		return err
	}

	return wire.WriteBytes(w, r.Request, http.StatusOK, "application/json; charset=UTF-8", limits)
}

// refuseBody checks that the request body is empty, as the contract demands. Of
// a body of unknown length the first byte is read.
func refuseBody(r *http.Request) error {
	if r.ContentLength == 0 || r.Body == nil {
		return nil
	}
	var first [1]byte
	if n, _ := io.ReadFull(r.Body, first[:]); n == 0 {
		return nil
	}
	return errInvalidField("body", "the request body must be empty")
}

// limitsName reads the parameter name. The spelling every client sends is recognised
// without building a map.
func limitsName(r *route.Request) (string, error) {
	switch r.URL.RawQuery {
	case "name=limits/label", "name=limits%2Flabel", "alt=json&name=limits%2Flabel&prettyPrint=false":
		return LimitsName, nil
	}
	names := r.Query()["name"]
	if len(names) > 1 {
		return "", errInvalidField("name", "the query parameter name is given more than once")
	}
	return r.Query().Get("name"), nil
}
