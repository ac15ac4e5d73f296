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

// tolerated is how far a suggestion may be from what was written.
func tolerated(name string) int { return 1 + len(name)/4 }

// Near is the name that was probably meant, empty when none is near.
func Near(name string, names []string) string {
	near, distance := Nearest(name, names)
	if distance > tolerated(name) {
		return ""
	}
	return near
}

// Nearest is the name with the fewest letters to change, and how many those are.
func Nearest(name string, names []string) (string, int) {
	best, least := "", len(name)+1
	for _, candidate := range names {
		if d := distance(name, candidate); d < least {
			best, least = candidate, d
		}
	}
	return best, least
}

// distance counts the letters to insert, remove, replace or swap with a neighbour.
func distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
