package stoatest

import (
	"net/url"
	"time"
)

// Faults makes chosen requests, messages or jobs of a world fail.
type Faults struct{ world *TestWorld }

// Fault is a rule: which calls, which of them, and what happens to them.
type Fault struct {
	// Service "deliveries" matches outbound messages, "jobs" background jobs. Path is
	// a pattern: * within a segment, ** across; Header is name to pattern.
	Service, Operation, Method, Path, Caller string
	Header                                   map[string]string
	// Members are values of the request's body by their JSON pointer.
	Members map[string]any

	// Nth is the one call that fails, First how many at the beginning, After how
	// many are let through before, Every each so many, Share the part of all. From and
	// Until are times of the world.
	Nth, First, After, Every int
	Share                    float64
	From, Until              time.Time

	// Deed names a fault of the catalogue (docs/faults.md).
	Deed string
	// Status is answered in the service's place, with Headers and Body.
	Status  int
	Headers map[string]string
	Body    string
	// Delay comes before the true answer, by the world's clock with OnWorldClock.
	Delay        time.Duration
	OnWorldClock bool
	// Reset ends the connection without an answer, Cut after CutAfter bytes of it.
	Reset    bool
	Cut      bool
	CutAfter int
	// Drip is how many bytes a second the answer comes with.
	Drip int
	// Drop loses an outbound message, Duplicate sends it so often.
	Drop      bool
	Duplicate int
	// Fail has a job fail with this message.
	Fail string
}

// Rule is a fault that a world has.
type Rule struct {
	ID   string
	Hits int
}

type faultJSON struct {
	Match map[string]any `json:"match"`
	When  map[string]any `json:"when,omitempty"`
	Deed  map[string]any `json:"deed"`
}

func (f Fault) toWire() faultJSON {
	return faultJSON{
		Match: given(map[string]any{
			"service": f.Service, "operation": f.Operation, "method": f.Method, "path": f.Path, "caller": f.Caller,
			"header": f.Header, "body": f.Members,
		}),
		When: given(map[string]any{
			"nth": f.Nth, "first": f.First, "after": f.After, "every": f.Every, "share": f.Share,
			"from": moment(f.From), "until": moment(f.Until),
		}),
		Deed: f.deed(),
	}
}

func (f Fault) deed() map[string]any {
	deed := given(map[string]any{
		"fault": f.Deed, "status": f.Status, "headers": f.Headers, "body": f.Body, "delay": text(f.Delay),
		"reset": f.Reset, "fail": f.Fail, "drop": f.Drop, "duplicate": f.Duplicate,
	})
	if f.OnWorldClock {
		deed["clock"] = "world"
	}
	if f.Cut {
		deed["cut"] = map[string]int{"afterBytes": f.CutAfter}
	}
	if f.Drip > 0 {
		deed["drip"] = map[string]int{"bytesPerSecond": f.Drip}
	}
	return deed
}

func moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

// given leaves out what was not set.
func given(members map[string]any) map[string]any {
	for name, value := range members {
		switch v := value.(type) {
		case map[string]string:
			if len(v) == 0 {
				delete(members, name)
			}
		case map[string]any:
			if len(v) == 0 {
				delete(members, name)
			}
		default:
			if v == "" || v == 0 || v == 0.0 || v == false {
				delete(members, name)
			}
		}
	}
	return members
}

func text(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return d.String()
}

// Add adds a rule.
func (f *Faults) Add(fault Fault) Rule {
	f.world.t.Helper()
	var out Rule
	f.world.call("POST", "/faults", fault.toWire(), &out)
	return out
}

// List is the world's rules with how often each was hit.
func (f *Faults) List() []Rule {
	f.world.t.Helper()
	var out struct{ Faults []Rule }
	f.world.call("GET", "/faults", nil, &out)
	return out.Faults
}

// Remove removes a rule.
func (f *Faults) Remove(r Rule) {
	f.world.t.Helper()
	f.world.call("DELETE", "/faults/"+url.PathEscape(r.ID), nil, nil)
}

// Clear removes all rules.
func (f *Faults) Clear() {
	f.world.t.Helper()
	f.world.call("DELETE", "/faults", nil, nil)
}
