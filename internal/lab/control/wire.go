package control

import (
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/lab"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/faultrule"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

// longTime is how long calls that copy or run much may take.
const longTime = 2 * time.Minute

// clockJSON is a clock as it is asked for and as it is.
type clockJSON struct {
	Mode clock.Mode `json:"mode,omitempty"`
	Now  *time.Time `json:"now,omitempty"`
	Rate *float64   `json:"rate,omitempty"`
}

func (c clockJSON) change() lab.ClockChange {
	return lab.ClockChange{Mode: c.Mode, Now: c.Now, Rate: c.Rate}
}

func toClock(v *clock.Virtual) clockJSON {
	mode, rate := v.Mode()
	now := v.Now().Round(0)
	return clockJSON{Mode: mode, Now: &now, Rate: &rate}
}

type createJSON struct {
	Name    string          `json:"name,omitempty"`
	From    string          `json:"from,omitempty"`
	Clock   clockJSON       `json:"clock,omitzero"`
	Seed    *uint64         `json:"seed,omitempty"`
	Dialect string          `json:"dialect,omitempty"`
	Expires duration        `json:"expires,omitzero"`
	Config  json.RawMessage `json:"config,omitempty"`
	// SeedFile is the text of a seed file.
	SeedFile string `json:"seedFile,omitempty"`
}

type forkJSON struct {
	Name    string   `json:"name,omitempty"`
	Expires duration `json:"expires,omitzero"`
}

type saveJSON struct {
	Name string `json:"name"`
}

type advanceJSON struct {
	By duration   `json:"by,omitzero"`
	To *time.Time `json:"to,omitempty"`
}

// worldJSON is a world; Env is left out in lists.
type worldJSON struct {
	Name      string            `json:"name"`
	URL       string            `json:"url"`
	PrefixURL string            `json:"prefixUrl"`
	HTTPSURL  string            `json:"httpsUrl"`
	CAFile    string            `json:"caFile"`
	KMSSocket string            `json:"kmsSocket"`
	State     string            `json:"state"`
	From      string            `json:"from"`
	Seed      uint64            `json:"seed"`
	Dialect   string            `json:"dialect"`
	CreatedAt time.Time         `json:"createdAt"`
	ExpiresAt *time.Time        `json:"expiresAt,omitempty"`
	Clock     clockJSON         `json:"clock"`
	Env       map[string]string `json:"env,omitempty"`
}

func toWorld(w *lab.World) worldJSON {
	i := w.Info()
	out := worldJSON{
		Name: i.Name, URL: i.URL, PrefixURL: i.PrefixURL, HTTPSURL: i.HTTPSURL, CAFile: i.CAFile,
		KMSSocket: i.KMSSocket, State: "asleep",
		From: i.From, Seed: i.Seed, Dialect: i.Dialect, CreatedAt: i.Created, Clock: toClock(w.Clock()),
	}
	if i.Awake {
		out.State = "awake"
	}
	if !i.Expires.IsZero() {
		out.ExpiresAt = &i.Expires
	}
	return out
}

type worldsJSON struct {
	Worlds []worldJSON `json:"worlds"`
}

type snapshotJSON struct {
	Name      string    `json:"name"`
	Bytes     int64     `json:"bytes"`
	CreatedAt time.Time `json:"createdAt"`
}

func toSnapshot(s lab.Snapshot) snapshotJSON {
	return snapshotJSON{Name: s.Name, Bytes: s.Bytes, CreatedAt: s.Created}
}

type snapshotsJSON struct {
	Snapshots []snapshotJSON `json:"snapshots"`
}

// movedJSON is what an advance did.
type movedJSON struct {
	From     time.Time `json:"from"`
	To       time.Time `json:"to"`
	Ran      []ranJSON `json:"ran"`
	RanCount int       `json:"ranCount"`
	Left     int       `json:"left"`
}

type ranJSON struct {
	At      time.Time `json:"at"`
	Kind    string    `json:"kind"`
	Service string    `json:"service"`
	Outcome string    `json:"outcome"`
	Detail  string    `json:"detail,omitempty"`
}

func toMoved(m lab.Moved) movedJSON {
	out := movedJSON{From: m.From.Round(0), To: m.To.Round(0), Ran: []ranJSON{}, RanCount: m.Count, Left: m.Left}
	for _, r := range m.Ran {
		service, _, _ := strings.Cut(r.Kind, ".")
		out.Ran = append(out.Ran, ranJSON{
			At: r.At.Round(0), Kind: r.Kind, Service: service, Outcome: r.Outcome, Detail: r.Detail,
		})
	}
	return out
}

// duration is text such as "1h30m" or "7d".
type duration struct {
	time.Duration
	set bool
}

// UnmarshalText reads a duration; days may stand before the rest.
func (d *duration) UnmarshalText(text []byte) (err error) {
	d.Duration, err = clock.ParseDuration(string(text))
	d.set = err == nil
	return err
}

type errorJSON struct {
	Error errorBody `json:"error"`
}

type errorBody struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Next    string `json:"next,omitempty"`
}

// writeError is the API's envelope.
func writeError(w http.ResponseWriter, r *route.Request, err error) {
	status, body := describe(r, err)
	if retry := retryAfter(err); retry > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(retry))
	}
	// Only writing to the connection can fail here, and then the client is gone.
	_ = wire.WriteJSON(w, r.Request, status, errorJSON{Error: body})
}

func retryAfter(err error) int {
	var exceeded *limit.Exceeded
	if errors.As(err, &exceeded) {
		return int(math.Ceil(exceeded.RetryAfter.Seconds()))
	}
	return 0
}

func describe(r *route.Request, err error) (int, errorBody) {
	var refused *lab.Error
	if errors.As(err, &refused) {
		status := map[lab.Code]int{
			lab.CodeInvalid: http.StatusBadRequest, lab.CodeNotFound: http.StatusNotFound,
			lab.CodeConflict: http.StatusConflict, lab.CodeExhausted: http.StatusTooManyRequests,
			lab.CodeFailed: http.StatusInternalServerError,
		}[refused.Code]
		return status, errorBody{Code: string(refused.Code), Message: refused.Message, Next: refused.Next}
	}
	var rule *faultrule.Error
	if errors.As(err, &rule) {
		if rule.Full {
			return http.StatusTooManyRequests, errorBody{Code: "exhausted", Message: rule.Error(), Next: rule.Next}
		}
		return http.StatusBadRequest, errorBody{Code: "invalid", Message: rule.Error(), Next: rule.Next}
	}
	var method *route.MethodError
	var syntax *wire.SyntaxError
	var credentials *route.CredentialError
	var exceeded *limit.Exceeded
	switch {
	case errors.Is(err, route.ErrNoRoute):
		return http.StatusNotFound, errorBody{
			"not_found", "there is nothing at " + r.URL.Path,
			"docs/lab.md lists the calls",
		}
	case errors.As(err, &method):
		return http.StatusMethodNotAllowed, errorBody{
			"invalid", "the method is not allowed here",
			"use " + strings.Join(method.Allow, ", "),
		}
	case errors.Is(err, route.ErrNoCredential), errors.As(err, &credentials):
		return http.StatusUnauthorized, errorBody{
			"unauthorized", "the lab's token is missing or wrong",
			"send Authorization: Bearer $STOA_LAB_TOKEN; lab.env in the lab's folder has it",
		}
	case errors.As(err, &syntax):
		return http.StatusBadRequest, errorBody{"invalid", syntax.Error(), "docs/lab.md lists the members"}
	case errors.Is(err, wire.ErrEmptyBody):
		return http.StatusBadRequest, errorBody{
			"invalid", "the body is empty",
			"send a JSON object, {} where nothing is needed",
		}
	case errors.Is(err, wire.ErrMediaType):
		return http.StatusUnsupportedMediaType, errorBody{
			"invalid", "the body is not JSON",
			"send Content-Type: application/json",
		}
	case errors.Is(err, wire.ErrTooLarge):
		return http.StatusRequestEntityTooLarge, errorBody{"invalid", "the body is too large", "send a smaller one"}
	case errors.As(err, &exceeded):
		return http.StatusTooManyRequests, errorBody{"exhausted", "too many requests at once", "try again later"}
	case errors.Is(err, route.ErrUnavailable):
		return http.StatusServiceUnavailable, errorBody{"failed", err.Error(), "try again"}
	case errors.Is(err, route.ErrDeadline):
		return http.StatusServiceUnavailable, errorBody{"failed", "the call took too long", "try again"}
	}
	return http.StatusInternalServerError, errorBody{
		"failed", "the lab failed; its log has the reason", "see request " + r.ID,
	}
}
