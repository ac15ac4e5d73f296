package crash_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/app/admin"
	"stoa.dev/stoa/test/program"
)

// parcel is a file to upload. Its bytes are made, not kept: the byte at a
// place depends on the place alone.
type parcel struct {
	size, chunk int64
	// memory is what the server may take at most, in megabytes.
	memory int
}

// smallParcel fits into every run; STOA_CRASH_FULL=1 asks for the promise:
// 2 GiB in chunks of 8 MiB.
func smallParcel() parcel {
	if full() {
		return parcel{size: 2 << 30, chunk: 8 << 20, memory: 400}
	}
	return parcel{size: 24<<20 + 12345, chunk: 1 << 20, memory: 400}
}

// fill writes the bytes from an offset on, a word at a time where one fits.
func fill(b []byte, offset int64) {
	for at := offset; len(b) > 0; {
		var word [8]byte
		// A multiplication by an odd number scatters the bits well enough.
		binary.LittleEndian.PutUint64(word[:], (uint64(at/8)+1)*0x9e3779b97f4a7c15)
		n := copy(b, word[at%8:])
		b, at = b[n:], at+int64(n)
	}
}

func (p parcel) sum() string {
	h := sha256.New()
	b := make([]byte, 1<<20)
	for at := int64(0); at < p.size; at += int64(len(b)) {
		part := b[:min(int64(len(b)), p.size-at)]
		fill(part, at)
		h.Write(part)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// errCut is how a body ends whose connection is cut.
var errCut = errors.New("cut")

// body is a chunk; after limit bytes something happens to it.
type body struct {
	at, end, limit int64
	cut            func() error
}

func (b *body) Read(p []byte) (int, error) {
	if b.at >= b.limit {
		return 0, b.cut()
	}
	if b.at >= b.end {
		return 0, io.EOF
	}
	n := min(int64(len(p)), min(b.end, b.limit)-b.at)
	fill(p[:n], b.at)
	b.at += n
	return int(n), nil
}

// TestKillUpload sends a large file in chunks. A fifth of the connections is cut
// in the middle and the server is killed twice; the client asks where to go on
// each time. The file ends with the right hash, and the server stays small.
func TestKillUpload(t *testing.T) {
	t.Parallel()
	binary, err := program.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	u := &upload{parcel: smallParcel(), binary: binary, data: t.TempDir(), random: rand.New(rand.NewPCG(1, 2))}
	u.start(t)
	u.open(t)
	kills := []int64{u.size / 3, 2 * u.size / 3}
	for u.offset < u.size {
		switch {
		case len(kills) > 0 && u.offset >= kills[0]:
			kills = kills[1:]
			u.send(t, func() error { u.server.Kill(); return errCut })
			u.start(t)
			u.ask(t)
		case u.random.IntN(5) == 0:
			u.send(t, func() error { return errCut })
			u.cuts++
			u.ask(t)
		default:
			u.send(t, nil)
		}
		u.watch(t)
	}
	u.audit(t)
	t.Logf("%d bytes, %d cuts, %d chunks refused, 2 kills, at most %d MB resident", u.size, u.cuts, u.refused, u.peak)
}

type upload struct {
	parcel
	binary, data string
	env          []string // settings beside the level of the log
	random       *rand.Rand
	server       *program.Process
	key, path    string
	offset       int64
	cuts, peak   int
	refused      int
}

func (u *upload) start(t *testing.T) {
	t.Helper()
	p, err := program.Start(t.Context(), program.Options{
		Binary: u.binary, Data: u.data, Env: append(u.env, "STOA_LOG_LEVEL=error"),
	})
	if err != nil {
		t.Fatalf("the server does not come back: %v", err)
	}
	t.Cleanup(p.Kill)
	u.server = p
	if u.key != "" {
		return
	}
	client, _, err := admin.Dial(t.Context(), u.data)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if _, err := client.Run(t.Context(), "user add",
		map[string][]string{"name": {"writer"}, "password": {"correct horse battery staple"}}, nil); err != nil {
		t.Fatal(err)
	}
	text, err := client.Run(t.Context(), "key issue",
		map[string][]string{"user": {"writer"}, "service": {"generate"}, "never": {"true"}}, nil)
	var made struct{ Key string }
	if err != nil || json.Unmarshal(text, &made) != nil || made.Key == "" {
		t.Fatalf("key issue: %s %v", text, err)
	}
	u.key = made.Key
}

// call makes one request of the upload protocol.
func (u *upload) call(t *testing.T, path, command string, b io.Reader, length int64,
	headers ...string,
) (*http.Response, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, u.server.URL+path, b)
	if err != nil {
		t.Fatal(err)
	}
	r.ContentLength = length
	r.Header.Set("X-Vendor-Upload-Command", command)
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", response.Status, text)
	}
	response.Body = io.NopCloser(bytes.NewReader(text))
	return response, err
}

func (u *upload) open(t *testing.T) {
	t.Helper()
	const start = `{"file":{"displayName":"parcel"}}`
	response, err := u.call(t, "/upload/v1beta/files?key="+u.key, "start", strings.NewReader(start), int64(len(start)),
		"X-Vendor-Upload-Protocol: resumable", "X-Vendor-Upload-Header-Content-Type: application/octet-stream",
		"Content-Type: application/json",
		"X-Vendor-Upload-Header-Content-Length: "+strconv.FormatInt(u.size, 10))
	if err != nil {
		t.Fatalf("start: %v", err)
	}
	where, err := url.Parse(response.Header.Get("X-Vendor-Upload-Url"))
	if err != nil {
		t.Fatal(err)
	}
	u.path = where.RequestURI()
}

// send sends the next chunk; with a cut it ends in the middle, and the
// acknowledged offset is asked for afterwards.
func (u *upload) send(t *testing.T, cut func() error) {
	t.Helper()
	end := min(u.offset+u.chunk, u.size)
	b := &body{at: u.offset, end: end, limit: end + 1, cut: cut}
	if cut != nil {
		b.limit = u.offset + 1 + u.random.Int64N(end-u.offset)
	}
	_, err := u.call(t, u.path, "upload", b, end-u.offset, "X-Vendor-Upload-Offset: "+strconv.FormatInt(u.offset, 10))
	switch {
	case cut == nil && err == nil:
		u.offset = end
	case cut == nil:
		// Bytes of the connection that broke were still on their way when the
		// offset was asked for: the server refuses the chunk, perhaps while it is
		// being sent. What helps is to ask again.
		if u.refused++; u.refused > 100 {
			t.Fatalf("chunk at %d: %v", u.offset, err)
		}
		u.ask(t)
	}
}

// ask asks where to go on; nothing that was acknowledged may be gone. The
// server may still be busy with the connection that broke.
func (u *upload) ask(t *testing.T) {
	t.Helper()
	before := u.offset
	deadline := time.Now().Add(20 * time.Second)
	for {
		response, err := u.call(t, u.path, "query", nil, 0)
		if err == nil {
			u.offset, err = strconv.ParseInt(response.Header.Get("X-Vendor-Upload-Size-Received"), 10, 64)
		}
		if err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("query: %v", err)
		}
		time.Sleep(20 * time.Millisecond)
	}
	if u.offset < before || u.offset > u.size {
		t.Fatalf("the server has %d bytes, %d were acknowledged", u.offset, before)
	}
}

// watch keeps the most memory the server ever had.
func (u *upload) watch(t *testing.T) {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", u.server.PID()))
	if err != nil {
		return // not this kind of system
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kilobytes, _ := strconv.Atoi(strings.Fields(rest)[0])
			u.peak = max(u.peak, kilobytes/1024)
		}
	}
	if u.peak > u.memory {
		t.Fatalf("the server has taken %d MB, at most %d are allowed", u.peak, u.memory)
	}
}

func (u *upload) audit(t *testing.T) {
	t.Helper()
	response, err := u.call(t, u.path, "finalize", nil, 0, "X-Vendor-Upload-Offset: "+strconv.FormatInt(u.size, 10))
	if err != nil {
		t.Fatalf("finalize: %v", err)
	}
	var answer struct {
		File struct {
			SizeBytes, Sha256Hash string
		}
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		t.Fatal(err)
	}
	got, err := base64.StdEncoding.DecodeString(answer.File.Sha256Hash)
	if want := u.sum(); err != nil || string(got) != want || answer.File.SizeBytes != strconv.FormatInt(u.size, 10) {
		t.Fatalf("the file has %s bytes and the hash %s, want %d and %s", answer.File.SizeBytes, got, u.size, want)
	}
	u.watch(t)
}
