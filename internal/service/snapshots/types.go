package snapshots

import (
	"strconv"
	"time"

	"stoa.dev/stoa/internal/identity"
)

// GraphRequest is what a caller asks to be drawn. It is stored with the
// snapshot and read again when the picture is drawn.
type GraphRequest struct {
	MetricQuery string `json:"metric_query,omitempty"`
	GraphDef    string `json:"graph_def,omitempty"`
	EventQuery  string `json:"event_query,omitempty"`
	Title       string `json:"title,omitempty"`
	Start       int64  `json:"start"`
	End         int64  `json:"end"`
	Width       int    `json:"width"`
	Height      int    `json:"height"`
	// What the contract does not have: theme, legend, zone and scale.
	Theme  string  `json:"theme,omitempty"`
	Legend string  `json:"legend,omitempty"`
	Zone   string  `json:"tz,omitempty"`
	Scale  float64 `json:"scale,omitempty"`
	// Own lets the owner draw the server's own metrics.
	Own bool `json:"own,omitempty"`
}

// State is where a snapshot stands: pending until its picture is stored, then
// ready; failed when it cannot be drawn.
type State string

// The states.
const (
	Pending State = "pending"
	Ready   State = "ready"
	Failed  State = "failed"
)

// Graph is a stored snapshot.
type Graph struct {
	ID      string
	Org     string
	Digest  string // of owner and request
	Path    string // bucket/org_N/date/id
	Request GraphRequest
	State   State
	SHA256  string
	Reason  string
	Created time.Time
	Expires time.Time // zero is never

	encoded []byte // Request as it is stored
}

// Tenant is whose data a call reads and writes: the team or organization of the
// key, or the user alone.
type Tenant struct {
	Org    string // the name under which data is kept
	Number int64  // as shown in addresses
	Own    bool   // may read the server's own metrics
}

// tenantOf reads the tenant from a caller.
func tenantOf(c *identity.Caller) Tenant {
	t := userTenant(c.UserID)
	t.Own = c.Admin
	switch {
	case c.TeamID != 0:
		t.Org, t.Number = "t"+strconv.FormatInt(c.TeamID, 10), c.TeamID
	case c.OrgID != 0:
		t.Org, t.Number = "o"+strconv.FormatInt(c.OrgID, 10), c.OrgID
	}
	return t
}

// userTenant is the owner of what a user has without a team.
func userTenant(id int64) Tenant { return Tenant{Org: "u" + strconv.FormatInt(id, 10), Number: id} }
