package packages

import (
	"bytes"
	"fmt"

	"stoa.dev/stoa/internal/platform/registry"
)

// Discover says whether registries that were found on the machine are asked.
// Those that are configured are asked in any case.
type Discover string

// The choices. DiscoverAuto asks while only this machine can ask us.
const (
	DiscoverAuto  Discover = "auto"
	DiscoverTrue  Discover = "true"
	DiscoverFalse Discover = "false"
)

// UnmarshalText reads the setting.
func (d *Discover) UnmarshalText(text []byte) error {
	switch v := Discover(text); v {
	case DiscoverAuto, DiscoverTrue, DiscoverFalse:
		*d = v
		return nil
	}
	return fmt.Errorf("%q is not one of auto, true, false", text)
}

// UnmarshalYAML reads the setting from a file, where true and false are no
// texts.
func (d *Discover) UnmarshalYAML(text []byte) error {
	return d.UnmarshalText(bytes.Trim(bytes.TrimSpace(text), `"'`))
}

// Undiscovered is why registries that were found on the machine are not asked,
// empty when they are.
func (c Config) Undiscovered() string {
	switch {
	case c.Discover == DiscoverTrue:
		return ""
	case c.Discover == DiscoverFalse:
		return "packages.discover is false"
	case c.Reachable != "":
		return "packages.discover is auto and " + c.Reachable
	}
	return ""
}

// Configured lists the ecosystems whose registries are configured.
func (c Config) Configured() []string {
	var list []string
	for _, kind := range registry.Kinds() {
		if len(c.Registries.byKind()[kind]) > 0 {
			list = append(list, string(kind))
		}
	}
	return list
}

// errNoRegistry means that there is no registry to ask about an ecosystem.
func errNoRegistry(kind registry.Kind, why string) *Error {
	return &Error{Code: CodeUnavailable, refused: true, Message: fmt.Sprintf(
		"the package is not in the store and no registry of %s is configured: set packages.registries.%s; %s",
		kind, kind, why)}
}
