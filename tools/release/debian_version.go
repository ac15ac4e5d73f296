package main

import "regexp"

var (
	numbered  = regexp.MustCompile(`^\d+\.\d+\.\d+`)
	described = regexp.MustCompile(`^-\d+-g[0-9a-f]`)
	unallowed = regexp.MustCompile(`[^A-Za-z0-9.+~]+`)
)

// debianVersion is how Debian orders a version: it begins with a digit, one that is described by the commits since a
// release comes after that, a pre-release before its release, and a commit without any before all.
func debianVersion(version string) string {
	number := numbered.FindString(version)
	rest := version[len(number):]
	joint := ""
	switch {
	case number == "":
		number = "0~git."
	case described.MatchString(rest):
		joint, rest = "+", rest[1:]
	case rest != "" && rest[0] == '-':
		joint, rest = "~", rest[1:]
	}
	return number + joint + unallowed.ReplaceAllString(rest, ".")
}
