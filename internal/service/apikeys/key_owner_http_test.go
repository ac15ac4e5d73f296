package apikeys_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/service/apikeys"
)

// TestMe: a live key can be asked whose it is and when it ends; a replaced one cannot.
func TestMe(t *testing.T) {
	t.Parallel()
	identitytest.Run(t, build(apikeys.DefaultConfig()), func(t *testing.T, h *identitytest.Server) {
		old := h.Key("ada", identity.KindAPI, 7)
		email := "ada@example.org"
		ada, err := h.Identity.UpdateUser(t.Context(), h.User("ada").ID, identity.UserChange{Email: &email})
		if err != nil || ada.Email != email {
			t.Fatalf("%+v, %v", ada, err)
		}
		w := h.Call("GET", "/v2/me", "", "Authorization: Bearer "+old)
		for _, want := range []string{
			fmt.Sprintf(`"id":%d`, ada.ID), fmt.Sprintf(`"name":%q`, ada.DisplayName), fmt.Sprintf(`"email":%q`, ada.Email),
			`"username":"ada"`, `"apiKeyExpiresAt":"2026-03-11T05:06:07.000Z"`,
		} {
			if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), want) {
				t.Errorf("%d %s, want %s in it", w.Code, w.Body, want)
			}
		}
		fresh := newKey(t, refresh(h, old, `{"apiKeyNeverExpires":true}`))
		w = h.Call("GET", "/v2/me", "", "Authorization: Bearer "+fresh)
		if !strings.Contains(w.Body.String(), `"apiKeyExpiresAt":null`) {
			t.Errorf("%d %s, want no end", w.Code, w.Body)
		}
		checkError(t, h.Call("GET", "/v2/me", "", "Authorization: Bearer "+old), 401, "UnauthorizedException")
		checkError(t, h.Call("GET", "/v2/me", ""), 401, "UnauthorizedException")
	})
}
