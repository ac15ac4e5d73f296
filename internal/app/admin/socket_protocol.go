package admin

import (
	"encoding/json"
	"io"

	"stoa.dev/stoa/internal/platform/module"
)

// SocketName is the file in the data folder on which the server listens.
const SocketName = "admin.sock"

// request is one command as it travels.
type request struct {
	Path   string              `json:"path"`
	Values map[string][]string `json:"values"`
	// CheckOnly only asks whether the command would be refused.
	CheckOnly bool `json:"ask,omitempty"`
	// Files says that what the command reads follows as a tar stream, and that what it
	// writes is sent back.
	Files bool `json:"files,omitempty"`
}

// answerLine is one line of the answer; exactly one member is set.
type answerLine struct {
	Progress *module.Progress     `json:"progress,omitempty"`
	Result   json.RawMessage      `json:"result,omitempty"`
	Error    *module.CommandError `json:"error,omitempty"`
	// Output says that a tar stream of what the command wrote follows, and then the result.
	Output bool `json:"output,omitempty"`
}

// PrintConfig writes the settings in effect as YAML, secrets masked; or only those that
// differ from their defaults.
type PrintConfig func(w io.Writer, changed bool) error

// Status is what a running server says about itself.
type Status struct {
	PID     int    `json:"pid"`
	Version string `json:"version"`
	URL     string `json:"url"`
	// Dialect is neutral or sdk.
	Dialect string `json:"dialect"`
	// HTTPSURL, CAFile and KMSSocket are empty when there is none.
	HTTPSURL  string `json:"https_url,omitempty"`
	CAFile    string `json:"ca_file,omitempty"`
	KMSSocket string `json:"kms_socket,omitempty"`
}
