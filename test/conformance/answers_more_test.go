package conformance_test

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	api "k8s.io/kms/apis/v2"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/test/conformance"
)

func taskAnswers(t *testing.T, h taskServer) {
	const lists = "/users/@me/lists"
	h.User(t, "cora")
	h.token = h.Token(t, "cora", "tasks")
	list := conformance.Text(t, h.made(t, "POST", lists, `{"title":"mine"}`), "id")
	tasks := "/lists/" + list + "/tasks"
	first := conformance.Text(t, h.made(t, "POST", tasks, `{"title":"first","due":"2030-01-02T00:00:00.000Z"}`), "id")
	second := conformance.Text(t, h.made(t, "POST", tasks+"?parent="+first, `{"title":"second"}`), "id")
	h.made(t, "POST", tasks+"/"+second+"/move", "")
	h.made(t, "PATCH", tasks+"/"+first, `{"status":"completed"}`)
	h.made(t, "GET", tasks+"?maxResults=1", "")
	h.made(t, "GET", lists, "")
	h.made(t, "GET", lists+"/"+list, "")
	h.made(t, "PATCH", lists+"/"+list, `{"title":"ours"}`)
	h.call(t, "POST", "/lists/"+list+"/clear", "").Want(t, http.StatusNoContent)
	h.call(t, "DELETE", lists+"/"+list, "").Want(t, http.StatusNoContent)
	h.call(t, "GET", lists+"/"+list, "").Want(t, http.StatusNotFound)
}

func labelAnswers(t *testing.T, h *conformance.Server) {
	h.User(t, "dora")
	h.Do(t, conformance.Call{Path: labelPath, Bearer: h.Token(t, "dora", "labels")}).Want(t, http.StatusOK)
	h.Do(t, conformance.Call{Path: labelPath}).Want(t, http.StatusUnauthorized)
	for range 3 {
		made := h.Do(t, conformance.Call{
			Method: "POST", Path: "/v2/labels", Bearer: h.Token(t, "dora", "labels"),
			Body: `{"labelType":"SHARED","properties":{"title":"Contract"},"fields":[
				{"properties":{"displayName":"Partner"},"textOptions":{}}]}`,
		}).Want(t, http.StatusOK).Object(t)
		h.Do(t, conformance.Call{
			Method: "DELETE", Path: "/v2/labels/" + conformance.Text(t, made, "id"), Bearer: h.Token(t, "dora", "labels"),
		}).Want(t, http.StatusOK)
	}
}

// longCodes outlive a test on a clock that runs an hour a second.
func longCodes(c *app.Config) { c.Device.CodeTTL, c.Device.AccessTTL = 1000*time.Hour, 1000*time.Hour }

func deviceAnswers(t *testing.T, h *conformance.Server) {
	h.User(t, "ada")
	tv := newTelevision(t, h)
	oauthRefused(t, tv.poll(t), http.StatusPreconditionRequired, "authorization_pending")
	tv.decide(t, "approve", "ada")
	h.Clock.Advance(5 * time.Second)
	made := tv.poll(t).Want(t, http.StatusOK).Object(t)
	oauthForm(t, h, "/token", url.Values{
		"client_id": {tv.id}, "client_secret": {tv.secret}, "grant_type": {"refresh_token"},
		"refresh_token": {conformance.Text(t, made, "refresh_token")},
	}).Want(t, http.StatusOK)
	oauthForm(t, h, "/revoke", url.Values{"token": {conformance.Text(t, made, "access_token")}}).Want(t, http.StatusOK)
	for range 3 {
		h.Do(t, conformance.Call{Path: "/v1/userinfo", Bearer: h.Token(t, "ada", "device", "openid")}).Want(t, http.StatusOK)
	}
}

func analyticsAnswers(t *testing.T, h analyticsServer) {
	made := h.data(t, "POST", projectsPath, `{"url":"https://k24.example/","project_name":"Mine"}`)
	h.data(t, "PUT", projectsPath,
		fmt.Sprintf(`{"project_id":%d,"project_name":"Renamed"}`, conformance.Integer(t, made, "project_id")))
	h.call(t, "GET", projectsPath, "").Want(t, http.StatusOK)
	one := h.location(t, "One")
	h.call(t, "PUT", locationsPath+"/"+one, locationBody("", "New name")).Want(t, http.StatusOK)
	h.call(t, "GET", locationsPath, "").Want(t, http.StatusOK)
	path, _, _ := h.collected(t, h.places(t))
	h.call(t, "GET", path, "").Want(t, http.StatusOK)
	h.call(t, "GET", campaignsPath, "").Want(t, http.StatusOK)
}

func keyAnswers(t *testing.T, h *conformance.Server) {
	h.User(t, "lena")
	key := refreshed(t, h, h.Key(t, "lena", "apikeys"), "{}")
	refreshed(t, h, key, "{}")
	h.Clock.Advance(2 * time.Minute) // until then the same new key is given again
	refreshEnvelope(t, refresh(t, h, key, "{}"), http.StatusUnauthorized)
}

func pluginAnswers(t *testing.T, p *plugin) {
	keep := func(what string, m proto.Message) {
		t.Helper()
		text, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		p.Keep(t, what, text)
	}
	keep("Status", p.status(t))
	sealed := p.encrypt(t, "a secret")
	keep("Encrypt", sealed)
	if got := p.decrypt(t, sealed); got != "a secret" {
		t.Errorf("decrypted to %q", got)
	}
	_, err := p.client.Decrypt(t.Context(), &api.DecryptRequest{Ciphertext: []byte("x"), KeyId: "none", Uid: "1"})
	if err == nil {
		t.Error("a ciphertext that was never made was decrypted")
	}
	p.Keep(t, "Decrypt", []byte(fmt.Sprint(err)))
}
