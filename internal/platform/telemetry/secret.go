package telemetry

import "log/slog"

// masked stands wherever a secret would have been.
const masked = "***"

// Secret is text that must not be seen. It prints, formats, encodes and logs
// as "***"; only a conversion to string reveals it.
type Secret string

// String hides the text from fmt and from string building.
func (Secret) String() string { return masked }

// GoString hides the text from %#v.
func (Secret) GoString() string { return masked }

// LogValue hides the text from the log.
func (Secret) LogValue() slog.Value { return slog.StringValue(masked) }

// MarshalText hides the text from JSON, YAML and other encoders.
func (Secret) MarshalText() ([]byte, error) { return []byte(masked), nil }
