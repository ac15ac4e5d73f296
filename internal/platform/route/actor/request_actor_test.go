package actor_test

import (
	"net/http/httptest"
	"testing"

	"stoa.dev/stoa/internal/platform/audit"
	"stoa.dev/stoa/internal/platform/route/actor"
)

func TestWith(t *testing.T) {
	t.Parallel()
	caller := audit.Actor{Name: "ada", Credential: "personal token 7"}
	get, post := httptest.NewRequest("GET", "/", nil), httptest.NewRequest("POST", "/", nil)
	post.RemoteAddr = "[2001:db8::1]:80"
	if ctx := actor.With(t.Context(), get, "r1", caller); audit.Known(ctx) {
		t.Error("a request that only reads says who acts")
	}
	ctx := actor.With(t.Context(), post, "r1", caller)
	want := audit.Actor{Name: "ada", Credential: "personal token 7", Network: "2001:db8::/64", Request: "r1"}
	if got := audit.From(ctx); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := audit.From(actor.With(ctx, post, "r2", nil)); got != want {
		t.Errorf("a request inside of another one is by %+v", got)
	}
}
