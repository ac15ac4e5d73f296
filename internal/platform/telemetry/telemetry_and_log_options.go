package telemetry

import (
	"fmt"
	"io"
	"log/slog"
	"os"

	"stoa.dev/stoa/internal/platform/clock"
)

// Format is how log lines are written.
type Format string

// The two formats: to read and to collect.
const (
	Text Format = "text"
	JSON Format = "json"
)

// AccessMode chooses which requests get a line in the log.
type AccessMode string

// The access modes; the empty one means AccessAll.
const (
	AccessAll    AccessMode = "all"
	AccessErrors AccessMode = "errors" // status 400 and above
	AccessOff    AccessMode = "off"
)

// Options builds a Telemetry.
type Options struct {
	// Log receives the log lines; nil means standard error.
	Log io.Writer
	// Format is Text unless set.
	Format Format
	// Level is the least severe level that is written; zero is Info.
	Level slog.Level
	// Access chooses which requests are logged.
	Access AccessMode
	// Clock stamps recent requests; nil means the machine's.
	Clock clock.Clock
	// Tracer gets the spans, and is closed with the Telemetry; nil switches traces off at no cost.
	Tracer Tracer
}

// handler builds the log handler that the options describe.
func (o Options) handler() (slog.Handler, error) {
	out := o.Log
	if out == nil {
		out = os.Stderr
	}
	opts := &slog.HandlerOptions{Level: o.Level}
	switch o.Format {
	case Text, "":
		return redactor{slog.NewTextHandler(out, opts)}, nil
	case JSON:
		return redactor{slog.NewJSONHandler(out, opts)}, nil
	}
	return nil, fmt.Errorf("log format %q is unknown: use text or json", o.Format)
}

func (o Options) access() (AccessMode, error) {
	switch o.Access {
	case "":
		return AccessAll, nil
	case AccessAll, AccessErrors, AccessOff:
		return o.Access, nil
	}
	return "", fmt.Errorf("access log mode %q is unknown: use all, errors or off", o.Access)
}
