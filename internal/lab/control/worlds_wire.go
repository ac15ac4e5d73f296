package control

import (
	"fmt"
	"strings"
	"time"

	"stoa.dev/stoa/internal/lab"
	"stoa.dev/stoa/internal/platform/clock"
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
	Name    string       `json:"name,omitempty"`
	From    string       `json:"from,omitempty"`
	Clock   clockJSON    `json:"clock,omitzero"`
	Seed    *uint64      `json:"seed,omitempty"`
	Dialect string       `json:"dialect,omitempty"`
	Expires duration     `json:"expires,omitzero"`
	Config  settingsJSON `json:"config,omitzero"`
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

// advanceResultJSON is what an advance did.
type advanceResultJSON struct {
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

func toAdvanceResult(m lab.AdvanceResult) advanceResultJSON {
	out := advanceResultJSON{From: m.From.Round(0), To: m.To.Round(0), Ran: []ranJSON{}, RanCount: m.Count, Left: m.Left}
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
	if d.Duration, err = clock.ParseDuration(string(text)); err != nil {
		return fmt.Errorf("a member %w", err) // which one is not known here
	}
	d.set = true
	return nil
}
