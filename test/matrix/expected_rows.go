package matrix

import (
	"fmt"
	"slices"
	"strings"
)

// Columns are the cells of a row, in the order they are asked: fourteen
// credentials on the caller's own object, and between them three objects with the
// caller's full credential. "foreign" is a credential
// of another service, "narrow" one of this service without a scope that the
// operation takes, "refresh" a refresh token, "key" a credential of the wrong
// kind: an API key where a token belongs, a token where a key does. "access" is
// the access token of the grant that "refresh" belongs to; project, workflow,
// installation and application name the kinds of tokens and keys.
func Columns() []string {
	return []string{
		"none", "garbage", "expired", "revoked", "disabled", "foreign", "narrow", "refresh", "key",
		"own", "other", "shared",
		"access", "project", "workflow", "installation", "application",
	}
}

// Row is the answers of one operation, by column.
type Row struct {
	Service, Operation, Name string
	// Access is what the route table says: open, optional or required.
	Access  string
	Answers map[string]string
}

// Key names the row.
func (r Row) Key() string { return r.Service + "\t" + r.Operation }

// Line is the row as the table has it.
func (r Row) Line() string {
	cells := []string{r.Service, r.Operation, r.Access}
	for _, c := range Columns() {
		cells = append(cells, r.Answers[c])
	}
	return strings.Join(cells, "\t")
}

// refusals are the answers to a caller who may not; 410 is for operations that
// are gone for all.
func refusals() []string { return []string{"401", "403", "404", "410", "400-key"} }

// Broken are the rules that the row breaks, whatever the table expects.
func (r Row) Broken() []string {
	var broken []string
	if r.Access == "required" {
		for _, c := range []string{"none", "garbage", "expired", "revoked", "disabled", "foreign", "refresh", "narrow"} {
			if got := r.Answers[c]; got != "-" && !slices.Contains(refusals(), got) {
				broken = append(broken, fmt.Sprintf("%s: a credential is required, yet %s was answered %s", r.Key(), c, got))
			}
		}
	}
	if r.Access == "optional" {
		for _, c := range []string{"garbage", "expired", "revoked", "disabled"} {
			if got := r.Answers[c]; strings.HasPrefix(got, "2") {
				broken = append(broken,
					fmt.Sprintf("%s: a bad credential is no credential, yet %s was answered %s", r.Key(), c, got))
			}
		}
	}
	for _, c := range Columns() {
		if strings.HasPrefix(r.Answers[c], "5") && r.Answers[c] != "501" && r.Answers[c] != "503" {
			broken = append(broken, fmt.Sprintf("%s: %s was answered %s", r.Key(), c, r.Answers[c]))
		}
	}
	return broken
}
