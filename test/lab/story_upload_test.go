package lab_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// commander gives a command to an upload session.
type commander func(command string, offset int, body []byte) (answer, error)

// upload sends a file in pieces. After a failure it asks how much has arrived and goes on from there.
func upload(session commander, file []byte, piece int) (last answer, err error) {
	for offset := 0; offset < len(file); {
		end, command := offset+piece, "upload"
		if end >= len(file) {
			end, command = len(file), "upload, finalize"
		}
		if last, err = session(command, offset, file[offset:end]); err == nil && last.status == http.StatusOK {
			offset = end
			continue
		}
		if last, err = session("query", 0, nil); err != nil {
			return last, err
		}
		if offset, err = strconv.Atoi(last.header.Get("X-Goog-Upload-Size-Received")); err != nil {
			return last, err
		}
	}
	return last, nil
}

// An upload of three pieces loses its connection in the middle, and then a piece. It resumes both times: the file
// is whole, and no piece that had arrived was sent again.
func TestStoryUpload(t *testing.T) {
	t.Parallel()
	w := story(t)
	session := w.startUpload(t)
	w.fault(t, `{"match":{"operation":"media.upload"},"when":{"nth":2},"deed":{"reset":true}}`)
	w.fault(t, `{"match":{"operation":"media.upload"},"when":{"nth":3},"deed":{"fault":"upload_chunk_lost"}}`)
	const piece = 256 << 10
	file := bytes.Repeat([]byte("0123456789abcde\n"), 3*piece/16)

	done, err := upload(session, file, piece)

	if err != nil {
		t.Fatal(err)
	}
	made, _ := done.want(t, http.StatusOK).object(t)["file"].(map[string]any)
	sum := sha256.Sum256(file)
	hash := base64.StdEncoding.EncodeToString([]byte(hex.EncodeToString(sum[:])))
	if made["sizeBytes"] != strconv.Itoa(len(file)) || made["sha256Hash"] != hash {
		t.Errorf("made %v of %d bytes with the hash %s", made, len(file), hash)
	}
	if hits := w.hits(t); fmt.Sprint(hits) != "[1 1]" {
		t.Errorf("faults met: %v", hits)
	}
	for offset := range 3 {
		w.expect(t, `{"calls":{"operation":"media.upload","status":200,"header":{"X-Goog-Upload-Command":"upload*",`+
			`"X-Goog-Upload-Offset":"`+strconv.Itoa(offset*piece)+`"}},"exactly":1}`)
	}
	w.wellBehaved(t)
}

// startUpload begins a session.
func (w *world) startUpload(t *testing.T) commander {
	t.Helper()
	call := func(address, command string, offset int, body []byte) (answer, error) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, bytes.NewReader(body))
		if err != nil {
			return answer{}, err
		}
		r.Header.Set("X-Goog-Api-Key", w.Env["STOA_MODEL_KEY"])
		r.Header.Set("X-Goog-Upload-Protocol", "resumable")
		r.Header.Set("X-Goog-Upload-Command", command)
		r.Header.Set("X-Goog-Upload-Offset", strconv.Itoa(offset))
		r.Header.Set("X-Goog-Upload-Header-Content-Type", "text/plain")
		return do(w.control.http, r)
	}
	begun, err := call(w.URL+"/upload/v1beta/files", "start", 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	address := begun.want(t, http.StatusOK).header.Get("X-Goog-Upload-Url")
	if !strings.HasPrefix(address, w.URL) {
		t.Fatalf("the session's address is %q", address)
	}
	return func(command string, offset int, body []byte) (answer, error) {
		return call(address, command, offset, body)
	}
}
