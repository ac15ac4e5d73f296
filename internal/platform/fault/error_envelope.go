package fault

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

// Fault is one failure in the words of this API family.
type Fault struct {
	// Code is the HTTP status, repeated in the body.
	Code int
	// Status is the canonical word, such as NOT_FOUND.
	Status  string
	Message string
	// Reason is the older machine word inside errors[], such as notFound.
	Reason string
	// Domain of the reason; global when empty.
	Domain string
	// Location and LocationType say which part of the request is wrong.
	Location, LocationType string
	// Details are typed objects for clients that know them.
	Details []any

	// Allow, Challenge and RetryAfter become headers when set.
	Allow      []string
	Challenge  string
	RetryAfter time.Duration
}

// New is a fault with the reason that usually goes with its status.
func New(code int, status, message string) Fault {
	return Fault{Code: code, Status: status, Message: message, Reason: reasonOf(code)}
}

type envelopeJSON struct {
	Error errorJSON `json:"error"`
}

type errorJSON struct {
	Code    int        `json:"code"`
	Message string     `json:"message"`
	Status  string     `json:"status,omitempty"`
	Errors  []itemJSON `json:"errors,omitempty"`
	Details []any      `json:"details,omitempty"`
}

type itemJSON struct {
	Message      string `json:"message"`
	Domain       string `json:"domain"`
	Reason       string `json:"reason"`
	Location     string `json:"location,omitempty"`
	LocationType string `json:"locationType,omitempty"`
}

// Write answers the request with the fault.
func Write(w http.ResponseWriter, r *route.Request, f Fault) {
	header := w.Header()
	if len(f.Allow) > 0 {
		header.Set("Allow", strings.Join(f.Allow, ", "))
	}
	if f.Challenge != "" {
		header.Set("WWW-Authenticate", f.Challenge)
	}
	if f.RetryAfter > 0 {
		header.Set("Retry-After", wire.WholeSeconds(f.RetryAfter))
	}
	header.Set("Cache-Control", "no-store")
	// The connection is all that can fail here, and then the client is gone.
	_ = wire.WriteBytes(w, r.Request, f.Code, "application/json; charset=UTF-8", Body(f))
}

// Body is the encoded envelope, for answers that carry it inside something
// else, such as a stream.
func Body(f Fault) []byte {
	domain := f.Domain
	if domain == "" {
		domain = "global"
	}
	e := errorJSON{Code: f.Code, Message: f.Message, Status: f.Status, Details: f.Details}
	if f.Reason != "" {
		e.Errors = []itemJSON{{
			Message: f.Message, Domain: domain, Reason: f.Reason,
			Location: f.Location, LocationType: f.LocationType,
		}}
	}
	body, err := json.Marshal(envelopeJSON{Error: e})
	if err != nil {
		// Only a detail that does not encode can fail; the rest still helps.
		e.Details = nil
		body, _ = json.Marshal(envelopeJSON{Error: e})
	}
	return body
}

// reasonOf is the reason clients of this family expect beside a status.
func reasonOf(code int) string {
	switch code {
	case http.StatusBadRequest, http.StatusUnsupportedMediaType:
		return "badRequest"
	case http.StatusUnauthorized:
		return "authError"
	case http.StatusForbidden:
		return "forbidden"
	case http.StatusNotFound:
		return "notFound"
	case http.StatusMethodNotAllowed:
		return "httpMethodNotAllowed"
	case http.StatusConflict:
		return "conflict"
	case http.StatusGone:
		return "deleted"
	case http.StatusPreconditionFailed:
		return "conditionNotMet"
	case http.StatusRequestEntityTooLarge:
		return "uploadTooLarge"
	case http.StatusTooManyRequests:
		return "rateLimitExceeded"
	}
	return "backendError"
}
