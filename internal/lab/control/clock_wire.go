package control

import (
	"fmt"
	"strings"
	"time"

	"stoa.dev/stoa/internal/lab"
	"stoa.dev/stoa/internal/platform/clock"
)

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

type advanceJSON struct {
	By duration   `json:"by,omitzero"`
	To *time.Time `json:"to,omitempty"`
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
