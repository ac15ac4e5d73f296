package identity

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Fold is the form in which names are compared. Names are ASCII, so this is
// the whole of case-insensitivity.
func Fold(name string) string { return strings.ToLower(name) }

// checkName checks the rule for users and organizations: they appear in paths,
// in mentions and as owners of repositories.
func checkName(field, name string) error {
	return checkLabel(field, name, 39, "-_", "may hold letters, digits, - and _ only")
}

// checkTeamName checks the rule for teams: the name is a host label.
func checkTeamName(name string) error {
	return checkLabel("team name", name, 63, "-", "is a host label: letters, digits and - only")
}

// checkLabel wants letters, digits and, between them, some marks.
func checkLabel(field, name string, most int, marks, allowed string) error {
	if len(name) < 1 || len(name) > most {
		return &InvalidError{field, fmt.Sprintf("must have 1 to %d characters", most)}
	}
	if !isAlnum(name[0]) || !isAlnum(name[len(name)-1]) {
		return &InvalidError{field, "must begin and end with a letter or digit"}
	}
	for j := range len(name) {
		if c := name[j]; !isAlnum(c) && !strings.ContainsRune(marks, rune(c)) {
			return &InvalidError{field, allowed}
		}
	}
	return nil
}

func isAlnum(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// checkText checks the rule for what pages show: bounded, valid, printable.
func checkText(field, text string, maxRunes int) error {
	if utf8.RuneCountInString(text) > maxRunes {
		return &InvalidError{field, "is too long"}
	}
	if !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) {
		return &InvalidError{field, "must be plain text without control characters"}
	}
	return nil
}

// checkEmail wants one @ with something on both sides. Whether the mailbox
// exists cannot be known here, so nothing more is asked.
func checkEmail(email string) error {
	if email == "" {
		return nil
	}
	at := strings.LastIndexByte(email, '@')
	if at < 1 || at == len(email)-1 || len(email) > 254 || strings.ContainsAny(email, " \t\r\n<>") {
		return &InvalidError{"email", "must look like name@host"}
	}
	return checkText("email", email, 254)
}

// checkRepo wants OWNER/NAME.
func checkRepo(repo string) error {
	owner, name, ok := strings.Cut(repo, "/")
	if !ok || name == "" || len(name) > 100 || strings.Contains(name, "/") {
		return &InvalidError{"repo", "must be OWNER/NAME"}
	}
	return checkName("repo owner", owner)
}
