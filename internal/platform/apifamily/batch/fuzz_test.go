package batch_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/fuzztest"
)

// FuzzBatch: no body ends the process, and every answer is a batch or a refusal.
func FuzzBatch(f *testing.F) {
	fuzztest.Strings(f,
		"--b\r\nContent-Type: application/http\r\n\r\nGET /two/v1/x HTTP/1.1\r\n\r\n--b--\r\n",
		"", "--b--",
		"--b\r\n\r\nPOST /batch\r\n\r\n--b--", "--b\r\nContent-Id: <\x00>\r\n\r\nGET http://[::1\r\n--b--")
	h := handler(f)
	f.Fuzz(func(t *testing.T, body string) {
		r := httptest.NewRequest("POST", "/batch/two/v1", strings.NewReader(body))
		r.Header.Set("Content-Type", "multipart/mixed; boundary=b")
		w := httptest.NewRecorder()
		if h.ServeHTTP(w, r); w.Code != 200 && w.Code != 400 && w.Code != 413 {
			t.Errorf("%q: %d %s", body, w.Code, w.Body)
		}
	})
}
