package manual_test

import (
	"strings"
	"testing"
)

// TestReferenceHasWords: an operation says what it does, what its parameters mean, and
// offers the same call as code.
func TestReferenceHasWords(t *testing.T) {
	t.Parallel()
	h := site(t)
	body := get(h, "GET", "/docs/reference/tasks").Body.String()
	for _, want := range []string{
		`Adds a task to a list</span>`, `unless previous names another place. <code>tasks.insert</code>`,
		`<span class="hint">Whether cleared tasks are listed: false unless told.</span>`,
		`data-language="curl"`, `data-language="Go"`, `data-language="JavaScript"`, `data-language="Python"`,
		`/docs/call_code.js?v=`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	script := get(h, "GET", "/docs/call_code.js")
	if script.Code != 200 || !strings.Contains(script.Body.String(), "function callCode(") {
		t.Errorf("the script that writes code is %d", script.Code)
	}
}
