package generate

import (
	"encoding/json"
	"errors"
	"net/http"
	"reflect"

	"stoa.dev/stoa/internal/platform/dialect"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/generate/api"
)

// decode reads a body whose members may be spelt either way; unknown members are
// refused.
func (s *Service) decode(r *route.Request, dst any) error {
	var raw json.RawMessage
	if err := wire.ReadJSON(r.Request, &raw); err != nil {
		return err
	}
	options := []wire.Option{wire.DisallowUnknown()}
	if w, ok := r.Body.(wire.Weigher); ok {
		// The shapes of this API are larger than what a value stands for.
		options = append(options, wire.Weighed(w))
	}
	spelling, err := s.decodeText(raw, dst, options...)
	r.Told = spelling
	return err
}

// decodeText is decode for a text that is known to be JSON. It also gives the spelling.
func (s *Service) decodeText(raw []byte, dst any, options ...wire.Option) (api.Spelling, error) {
	named, written := api.CamelNames(raw, s.brand)
	spelling := written.Over(s.shown)
	if request, ok := dst.(*api.Request); ok {
		defer func() { request.Spelling = spelling }()
	}
	err := wire.DecodeJSON(named, dst, options...)
	var wrong *wire.SyntaxError
	if !errors.As(err, &wrong) {
		return spelling, err
	}
	// The JSON of this API family is looser than its types: one object stands for
	// a list of one, and a number may be text.
	relaxed, changed := api.RelaxValues(named)
	if !changed {
		return spelling, err
	}
	reflect.ValueOf(dst).Elem().SetZero()
	return spelling, wire.DecodeJSON(relaxed, dst, options...)
}

// spelling is how the client of a request names members: as in its body or, where it
// wrote none, as this server's clients do.
func (s *Service) spelling(r *route.Request) api.Spelling {
	if told, ok := r.Told.(api.Spelling); ok {
		return told
	}
	return s.shown
}

// header reads a protocol header under any of its spellings.
func (s *Service) header(r *route.Request, w dialect.Word) string {
	return s.spellings.Get(r.Header, w)
}

// setHeader answers in the contract's spelling, and beside it in the brand's
// where clients expect that.
func (s *Service) setHeader(w http.ResponseWriter, word dialect.Word, value string) {
	w.Header().Set(s.world.Dialect.NeutralOf(word), value)
	w.Header().Set(s.world.Dialect.Says(word), value)
}
