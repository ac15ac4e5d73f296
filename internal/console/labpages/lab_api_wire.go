package labpages

import (
	"encoding/json"
	"strings"
	"time"
)

type clockState struct {
	Mode string    `json:"mode"`
	Now  time.Time `json:"now"`
	Rate float64   `json:"rate"`
}

type world struct {
	Name      string     `json:"name"`
	URL       string     `json:"url"`
	PrefixURL string     `json:"prefixUrl"`
	State     string     `json:"state"`
	From      string     `json:"from"`
	Seed      uint64     `json:"seed"`
	Dialect   string     `json:"dialect"`
	CreatedAt time.Time  `json:"createdAt"`
	ExpiresAt *time.Time `json:"expiresAt"`
	Clock     clockState `json:"clock"`
	// Env has the user of a demo; lists leave it out.
	Env map[string]string `json:"env"`
}

type snapshot struct {
	Name      string    `json:"name"`
	Bytes     int64     `json:"bytes"`
	CreatedAt time.Time `json:"createdAt"`
}

type faultList struct {
	Faults []fault `json:"faults"`
}

type fault struct {
	ID    string         `json:"id"`
	Hits  int            `json:"hits"`
	Match map[string]any `json:"match"`
	When  map[string]any `json:"when"`
	Deed  map[string]any `json:"deed"`
}

type catalogued struct {
	Service     string   `json:"service"`
	Name        string   `json:"name"`
	Status      int      `json:"status"`
	Description string   `json:"description"`
	Operations  []string `json:"operations"`
}

type inbox struct {
	Name     string          `json:"name"`
	URL      string          `json:"url"`
	HTTPSURL string          `json:"httpsUrl"`
	Answer   json.RawMessage `json:"answer"`
	Messages []received
}

type received struct {
	At       time.Time         `json:"at"`
	Method   string            `json:"method"`
	Headers  map[string]string `json:"headers"`
	Body     any               `json:"body"`
	Answered int               `json:"answered"`
}

// Says is what a message is about, where its headers tell, as in "exists".
func (r received) Says() string {
	for name, value := range r.Headers {
		if strings.HasSuffix(name, "-Resource-State") {
			return value
		}
	}
	return ""
}

type ran struct {
	At      time.Time `json:"at"`
	Kind    string    `json:"kind"`
	Service string    `json:"service"`
	Outcome string    `json:"outcome"`
	Detail  string    `json:"detail"`
}

type moved struct {
	From     time.Time `json:"from"`
	To       time.Time `json:"to"`
	Ran      []ran     `json:"ran"`
	RanCount int       `json:"ranCount"`
	Left     int       `json:"left"`
}

type act struct {
	At         time.Time `json:"at"`
	Actor      string    `json:"actor"`
	Credential string    `json:"credential"`
	Network    string    `json:"network"`
	Action     string    `json:"action"`
	Object     string    `json:"object"`
	Outcome    string    `json:"outcome"`
	Detail     string    `json:"detail"`
}

type actFilter struct{ World, Action string }

type finding struct {
	Rule     string   `json:"rule"`
	Severity string   `json:"severity"`
	Service  string   `json:"service"`
	Count    int      `json:"count"`
	Message  string   `json:"message"`
	Contract string   `json:"contract"`
	Requests []string `json:"requests"`
}
