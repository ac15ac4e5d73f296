package stoatest

import (
	"errors"
	"net/http"
	"strings"
	"syscall"
	"testing"
)

func TestNoLab(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"http://127.0.0.1:1", "nowhere", "http://127.0.0.1:port"} {
		l := &lab{url: url, token: "only-for-tests-here", http: http.DefaultClient}
		err := l.call(t.Context(), "GET", "/worlds", nil, nil)
		if err == nil {
			t.Fatalf("%s answered", url)
		}
		said := err.Error()
		if !strings.HasPrefix(said, "the lab at "+url+" does not answer (") || strings.Count(said, url) > 2 ||
			!strings.HasSuffix(said, "): it has ended, or STOA_LAB_URL names another address") {
			t.Errorf("%s: %s", url, said)
		}
		if url == "http://127.0.0.1:1" && !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("%s does not wrap its cause", said)
		}
	}
}
