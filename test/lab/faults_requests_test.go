package lab_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"

	api "k8s.io/kms/apis/v2"
)

// TestFaultsInRequests checks that a request that a fault hit says so, over HTTP and
// over the key-management socket.
func TestFaultsInRequests(t *testing.T) {
	t.Parallel()
	w := open(t, t.TempDir()).create(t, `{}`)
	w.fault(t, `{"match":{"service":"tasks"},"when":{"first":1},"deed":{"status":409}}`)
	w.fault(t, `{"match":{"service":"kms"},"when":{"first":1},"deed":{"fault":"kms_unhealthy"}}`)
	w.ask(t, "GET", tasksPath, "", "").want(t, http.StatusConflict)
	w.ask(t, "GET", tasksPath, "", "").want(t, http.StatusOK)
	if _, err := w.dialKMS(t).Status(t.Context(), &api.StatusRequest{}); err != nil {
		t.Fatal(err)
	}
	var out struct {
		Requests []struct{ Service, Fault string }
	}
	a := w.control.call(t, http.MethodGet, w.path()+"/requests", "").want(t, http.StatusOK)
	if err := json.Unmarshal(a.body, &out); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range out.Requests {
		got = append(got, r.Service+" "+r.Fault)
	}
	if want := []string{"kms kms_unhealthy", "tasks ", "tasks status"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
