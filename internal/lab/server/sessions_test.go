package server_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// form is the token of the forms on a page.
func (v *visitor) form(path string) string {
	v.t.Helper()
	response := v.send("GET", v.base+path, nil)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	found := regexp.MustCompile(`name="form" value="([^"]+)"`).FindSubmatch(body)
	if response.StatusCode != http.StatusOK || found == nil {
		v.t.Fatalf("%s: %d without a form: %.300s", path, response.StatusCode, body)
	}
	return string(found[1])
}

// post sends a form and reads the answer.
func (v *visitor) post(path string, form url.Values) (int, []byte) {
	v.t.Helper()
	response := v.send("POST", v.base+path, form)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	return response.StatusCode, body
}

// TestOneBrowserManyWorlds signs one cookie jar in at every address of two worlds and
// at the default one.
func TestOneBrowserManyWorlds(t *testing.T) {
	s := open(t, t.TempDir())
	one, two := s.call("POST", "/worlds", `{"name":"one"}`, 201), s.call("POST", "/worlds", `{"name":"two"}`, 201)
	first := newVisitor(t, one["prefixUrl"].(string), one)
	visitors := []*visitor{first}
	for _, world := range []map[string]any{one, two, s.call("GET", "/worlds/default", "", 200)} {
		for _, form := range []string{"prefixUrl", "url", "httpsUrl"} {
			v := newVisitor(t, world[form].(string), world)
			v.client = first.client
			visitors = append(visitors, v)
		}
	}
	atRoot := newVisitor(t, s.URL(), s.call("GET", "/worlds/default", "", 200))
	atRoot.client = first.client
	visitors = append(visitors[1:], atRoot)
	for _, v := range visitors {
		v.signIn()
	}
	for _, v := range visitors {
		v.form("/console/sessions") // which only those who are signed in see
	}
	// Signing out of one world leaves the others alone.
	status, body := visitors[0].post("/console/sign-out", url.Values{"form": {visitors[0].form("/console/sessions")}})
	if status != http.StatusSeeOther {
		t.Fatalf("sign out: %d %s", status, body)
	}
	response := visitors[0].send("GET", visitors[0].base+"/console/sessions", nil)
	defer response.Body.Close()
	if to := response.Header.Get("Location"); !strings.HasPrefix(to, "/w/one/console/sign-in?") {
		t.Errorf("after signing out: %d to %s", response.StatusCode, to)
	}
	for _, v := range visitors[1:] {
		v.form("/console/sessions")
	}
}

// TestDeviceFlowBelowAPrefix goes from the code to the token by the addresses that
// the answers name.
func TestDeviceFlowBelowAPrefix(t *testing.T) {
	s := open(t, t.TempDir())
	for _, row := range []struct{ name, page string }{
		{"x", "prefixUrl"},
		{"a-name-of-24-characters", "url"}, // the address would have more than 40 characters
	} {
		t.Run(row.name, func(t *testing.T) {
			w := s.call("POST", "/worlds", `{"name":"`+row.name+`"}`, 201)
			v := newVisitor(t, w["prefixUrl"].(string), w)
			var discovery struct {
				Issuer string   `json:"issuer"`
				Code   string   `json:"device_authorization_endpoint"`
				Token  string   `json:"token_endpoint"`
				Scopes []string `json:"scopes_supported"`
			}
			v.object("GET", v.base+"/.well-known/openid-configuration", nil, &discovery)
			if discovery.Issuer != v.base {
				t.Errorf("the issuer is %s, want %s", discovery.Issuer, v.base)
			}
			client := v.env["STOA_DEVICE_CLIENT_ID"]
			var code struct {
				Device string `json:"device_code"`
				User   string `json:"user_code"`
				URL    string `json:"verification_url"`
			}
			// In the sdk dialect scopes have the vendor's base, whatever the address.
			const scope = "/auth/tasks"
			if all := strings.Join(discovery.Scopes, " "); !strings.Contains(all, scope) || strings.Contains(all, v.base) {
				t.Errorf("the scopes are %v, want one that ends in %s and none of %s", discovery.Scopes, scope, v.base)
			}
			v.object("POST", discovery.Code, url.Values{"client_id": {client}, "scope": {"video.readonly"}}, &code)
			if want := w[row.page].(string) + "/device"; code.URL != want || len(code.URL) > 40 {
				t.Errorf("the page is %s, want %s", code.URL, want)
			}
			v.base = strings.TrimSuffix(code.URL, "/device")
			v.signIn()
			form := v.form("/device?user_code=" + code.User)
			status, body := v.post("/device", url.Values{"form": {form}, "user_code": {code.User}})
			request := regexp.MustCompile(`name="request" value="([^"]+)"`).FindSubmatch(body)
			if status != http.StatusOK || request == nil {
				t.Fatalf("the code: %d %.300s", status, body)
			}
			status, body = v.post("/device/decision", url.Values{
				"form": {form}, "request": {string(request[1])}, "decision": {"allow"},
			})
			if status != http.StatusOK {
				t.Fatalf("the decision: %d %.300s", status, body)
			}
			var tokens struct {
				Access string `json:"access_token"`
			}
			v.object("POST", discovery.Token, url.Values{
				"client_id": {client}, "client_secret": {v.env["STOA_DEVICE_CLIENT_SECRET"]}, "device_code": {code.Device},
				"grant_type": {"urn:ietf:params:oauth:grant-type:device_code"},
			}, &tokens)
			if tokens.Access == "" {
				t.Error("there is no token")
			}
		})
	}
}

// object reads a JSON answer.
func (v *visitor) object(method, address string, form url.Values, to any) {
	v.t.Helper()
	response := v.send(method, address, form)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil {
		err = json.Unmarshal(body, to)
	}
	if err != nil || response.StatusCode != http.StatusOK {
		v.t.Fatalf("%s %s: %d %s %v", method, address, response.StatusCode, body, err)
	}
}
