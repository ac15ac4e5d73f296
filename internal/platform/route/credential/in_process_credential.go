package credential

import (
	"context"
	"net/http"
)

type insideKey struct{}

// With is a context for a request that is made inside the process. The request is
// known by the credential, whatever its header says, and no header has to hold it.
func With(ctx context.Context, c Credential) context.Context {
	return context.WithValue(ctx, insideKey{}, c)
}

// IsInside reports whether a request with this context is made inside the process.
func IsInside(ctx context.Context) bool {
	_, ok := ctx.Value(insideKey{}).(Credential)
	return ok
}

// Inside takes the credential of a request that was made inside the process, and asks
// the first extractor that there is about all others.
func Inside(extractors ...Extractor) Extractor {
	return func(r *http.Request) (Credential, bool) {
		if c, ok := r.Context().Value(insideKey{}).(Credential); ok {
			return c, true
		}
		for _, extract := range extractors {
			if extract != nil {
				return extract(r)
			}
		}
		return Credential{}, false
	}
}
