package matrix_test

import (
	"bytes"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/test/conformance"
)

// unknownMember is one that no operation has.
const unknownMember = "noSuchMemberAnywhere"

// TestUnknownMembers: an operation that takes a JSON body refuses a member that it does not have, by its name, or
// stands on the list of those that do not, with the reason.
func TestUnknownMembers(t *testing.T) {
	h := conformance.Start(t, conformance.Options{Configure: configure, Unobserved: true})
	f := build(t, h)
	argued := ignoring()
	used := map[string]bool{}
	refusing := 0
	for _, o := range operations() {
		if !takesJSON(o) {
			continue
		}
		refused, answer := f.refusesUnknown(t, o)
		row := o.module.Name + " " + o.name()
		if _, ok := argued[row]; !ok {
			row = o.module.Name
		}
		_, listed := argued[row]
		switch {
		case refused:
			refusing++
		case listed:
			used[row] = true
		default:
			t.Errorf("%s %s takes a member that it does not have: %d %.200s", o.module.Name, o.name(), answer.Status,
				answer.Body)
		}
	}
	for _, row := range slices.Sorted(maps.Keys(argued)) {
		if !used[row] {
			t.Errorf("%s refuses unknown members and needs no reason", row)
		}
	}
	if refusing < 20 {
		t.Errorf("only %d operations refuse: is the body sent?", refusing)
	}
}

func takesJSON(o operation) bool {
	writes := o.route.Method == http.MethodPost || o.route.Method == http.MethodPut || o.route.Method == http.MethodPatch
	return writes && !o.route.Refuses && !form(o) && o.host == "" && o.module.Letter != ""
}

func (f *fixtures) refusesUnknown(t *testing.T, o operation) (bool, *conformance.Answer) {
	t.Helper()
	f.h.Clock.Advance(15 * time.Second) // for the limits on new content
	header, ok := f.credential(t, o, "full")
	if !ok {
		header = http.Header{}
	}
	header.Set("Content-Type", "application/json")
	path, _ := fill(o, f.own)
	answer := f.h.Do(t, conformance.Call{
		Method: o.route.Method, Path: path, Header: header, Body: `{"` + unknownMember + `":1}`,
	})
	return answer.Status/100 == 4 && bytes.Contains(bytes.ToLower(answer.Body), []byte(strings.ToLower(unknownMember))),
		answer
}

// ignoring are the services, or single operations, that ignore what they do not know, with the reason. What they
// ignored is not lost: the journal and the check of clients' conduct name it.
func ignoring() map[string]string {
	const (
		wholeObjects = "clients send back whole objects with members that are answered and not written"
		newer        = "the vendor's clients send members of later versions, which servers pass over"
		upload       = "the body is a file; the metadata before it is read strictly"
	)
	return map[string]string{
		"articles": wholeObjects, "calendar": wholeObjects, "tasks": wholeObjects,
		"events": newer, "packages": newer, "pipelines": newer, "snapshots": newer,
		"generate POST /upload/v1beta/files": upload, "generate PUT /upload/v1beta/files": upload,
		"generate POST /v1beta/files": "refuses every body: files are uploaded",
	}
}
