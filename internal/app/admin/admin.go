package admin

import (
	"encoding/json"

	"stoa.dev/stoa/internal/platform/module"
)

// SocketName is the file in the data folder on which the server listens.
const SocketName = "admin.sock"

// request is one command as it travels.
type request struct {
	Path   string              `json:"path"`
	Values map[string][]string `json:"values"`
}

// line is one line of the answer; exactly one member is set.
type line struct {
	Progress *module.Progress     `json:"progress,omitempty"`
	Result   json.RawMessage      `json:"result,omitempty"`
	Error    *module.CommandError `json:"error,omitempty"`
}

// Status is what a running server says about itself.
type Status struct {
	PID     int    `json:"pid"`
	Version string `json:"version"`
	URL     string `json:"url"`
}
