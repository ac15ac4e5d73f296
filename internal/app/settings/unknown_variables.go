package settings

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// orchestrators matches the variables that Kubernetes gives every container of a
// namespace with a service whose name begins with the program's.
var orchestrators = regexp.MustCompile(`_SERVICE_(HOST|PORT(_[A-Z0-9_]+)?)$|_PORT(_[0-9]+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?$`)

// prefix is what every variable of ours begins with.
const prefix = "STOA_"

// unknown says what is wrong with a variable that was meant as a setting and is none. It
// is nil for an orchestrator's, and for one that is like no setting: a shell may hold
// variables of its owner's. One that is near the name of a section is taken for its first
// setting.
func unknown(name string, all []leaf) error {
	if orchestrators.MatchString(name) {
		return nil
	}
	names, sections := variables(all), sections(all)
	near, distance := Nearest(name, slices.Concat(names, sections))
	if slices.Contains(sections, near) {
		near = names[slices.IndexFunc(names, func(n string) bool { return strings.HasPrefix(n, near+"_") })]
	}
	within := slices.ContainsFunc(sections, func(s string) bool { return strings.HasPrefix(name, s+"_") })
	switch {
	case distance <= max(1, len(name[len(prefix):])/4), within && distance <= tolerated(name):
		return fmt.Errorf("%s is not a setting; did you mean %s? stoa config explain lists them", name, near)
	case within:
		return fmt.Errorf("%s is not a setting; stoa config explain lists them", name)
	}
	return nil
}

// UnlikeSettings are the variables in environ that begin as ours do and are like no
// setting, sorted.
func UnlikeSettings(config any, environ, reserved []string) (names []string) {
	all := leaves(config)
	settings := variables(all)
	for name := range given(environ) {
		if !slices.Contains(reserved, name) && !slices.Contains(settings, name) &&
			!orchestrators.MatchString(name) && unknown(name, all) == nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// given are the variables of ours that are not empty.
func given(environ []string) map[string]string {
	out := make(map[string]string, len(environ))
	for _, entry := range environ {
		if name, value, ok := strings.Cut(entry, "="); ok && value != "" && strings.HasPrefix(name, prefix) {
			out[name] = value
		}
	}
	return out
}

func variables(all []leaf) []string {
	names := make([]string, len(all))
	for i, l := range all {
		names[i] = Variable(l.path)
	}
	return names
}

// sections are the variables that sections of the settings would have, as STOA_EVENTS.
func sections(all []leaf) (names []string) {
	for _, l := range all {
		if section, _, nested := strings.Cut(l.path, "."); nested && !slices.Contains(names, Variable(section)) {
			names = append(names, Variable(section))
		}
	}
	return names
}
