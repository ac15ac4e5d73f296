package console_test

import (
	"net/http"
	"net/url"
	"testing"
)

// TestRefusedForms: a form that is refused comes back with what was typed and the reason.
func TestRefusedForms(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.signIn("ada")
	for _, row := range []struct {
		name, target string
		form         url.Values
		want         []string
	}{
		{"a token without a scope", "/console/tokens", url.Values{
			"service": {"labels"}, "days": {"90"}, "note": {"for <CI>"}, "kind": {"personal"},
		}, []string{
			`role="alert">Choose at least one scope: a token without any can do nothing.`, `value="for &lt;CI&gt;"`,
			`<option value="90" selected>`,
		}},
		{"a token of a kind that is not taken", "/console/tokens", url.Values{
			"service": {"labels"}, "days": {"7"}, "note": {"x"}, "kind": {"api"}, "scope": {"storage.labels"},
		}, []string{`role="alert">Type: Label limits takes`, `value="storage.labels" checked>`}},
		{"a token that never was", "/console/tokens", url.Values{
			"service": {"labels"}, "days": {"x"}, "note": {"x"}, "kind": {"personal"},
		}, []string{`role="alert">Expiration must be 0 to 3650 days.`}},
		{"an application without an address", "/console/applications", url.Values{
			"name": {"Mine"}, "type": {"web"}, "scope": {"storage.labels"},
		}, []string{
			`role="alert">Redirect URI is required for a web application.`, `value="Mine"`, `<details open>`,
			`value="storage.labels" checked>`, `action="/console/applications#new"`,
		}},
		{"an application with a wrong address", "/console/applications", url.Values{
			"name": {"Mine"}, "type": {"web"}, "redirects": {"nowhere"},
		}, []string{`role="alert">`, ">nowhere</textarea>"}},
		{"a device without a name", "/console/applications", url.Values{"type": {"device"}},
			[]string{`role="alert">`, `<option value="device" selected>`}},
	} {
		t.Run(row.name, func(t *testing.T) {
			row.form.Set("form", h.form())
			w := h.send("POST", row.target, row.form)
			if w.Code != http.StatusBadRequest {
				t.Errorf("status %d, want 400", w.Code)
			}
			want(t, w.Body.String(), append(row.want, `href="/console/sessions"`)...)
		})
	}
}
