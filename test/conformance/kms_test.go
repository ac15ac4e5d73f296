package conformance_test

import (
	"bytes"
	"context"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	api "k8s.io/kms/apis/v2"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/service/kms/transit/transittest"
	"stoa.dev/stoa/test/conformance"
)

// kilobyte is the smaller reading: what is below it is below both.
const kilobyte = 1000

// plugin is a server with a client of its gRPC service.
type plugin struct {
	*conformance.Server
	conn   *grpc.ClientConn
	client api.KeyManagementServiceClient
	socket string
}

func openPlugin(
	t *testing.T, open func(*testing.T, conformance.Options) *conformance.Server, change func(*app.Config),
) *plugin {
	t.Helper()
	p := &plugin{socket: filepath.Join(t.TempDir(), "kms.sock")}
	p.Server = open(t, conformance.Options{Configure: func(c *app.Config) {
		c.Listen.KMS, c.KMS.TCP = p.socket, true
		if change != nil {
			change(c)
		}
	}})
	p.conn = dial(t, "unix://"+p.socket)
	p.client = api.NewKeyManagementServiceClient(p.conn)
	return p
}

func dial(t *testing.T, target string) *grpc.ClientConn {
	t.Helper()
	conn, err := grpc.NewClient(target, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func (p *plugin) status(t *testing.T) *api.StatusResponse {
	t.Helper()
	got, err := p.client.Status(t.Context(), &api.StatusRequest{})
	if err != nil {
		t.Fatalf("Status: %v", err)
	}
	return got
}

func (p *plugin) encrypt(t *testing.T, plaintext string) *api.EncryptResponse {
	t.Helper()
	got, err := p.client.Encrypt(t.Context(), &api.EncryptRequest{Plaintext: []byte(plaintext), Uid: "7b3c"})
	if err != nil {
		t.Fatalf("Encrypt: %v", err)
	}
	return got
}

func (p *plugin) decrypt(t *testing.T, m *api.EncryptResponse) string {
	t.Helper()
	got, err := p.client.Decrypt(t.Context(), &api.DecryptRequest{
		Ciphertext: m.Ciphertext, KeyId: m.KeyId, Annotations: m.Annotations, Uid: "91aa",
	})
	if err != nil {
		t.Fatalf("Decrypt: %v", err)
	}
	return string(got.Plaintext)
}

// raw sends bytes and returns bytes, so that tags are seen as they are.
func (p *plugin) raw(t *testing.T, method string, in []byte) []byte {
	t.Helper()
	var out []byte
	err := p.conn.Invoke(t.Context(), "/v2.KeyManagementService/"+method, in, &out, grpc.ForceCodec(bytesCodec{}))
	if err != nil {
		t.Fatalf("%s: %v", method, err)
	}
	return out
}

// bytesCodec is a gRPC codec that decodes nothing.
type bytesCodec struct{}

var _ encoding.Codec = bytesCodec{}

func (bytesCodec) Name() string                       { return "proto" }
func (bytesCodec) Marshal(v any) ([]byte, error)      { return v.([]byte), nil }
func (bytesCodec) Unmarshal(data []byte, v any) error { *v.(*[]byte) = bytes.Clone(data); return nil }

// fields reads the length-delimited fields of a message by tag number.
func fields(t *testing.T, message []byte) map[protowire.Number][][]byte {
	t.Helper()
	out := map[protowire.Number][][]byte{}
	for len(message) > 0 {
		number, kind, n := protowire.ConsumeTag(message)
		if n < 0 || kind != protowire.BytesType {
			t.Fatalf("field %d has wire type %d, want length-delimited", number, kind)
		}
		value, m := protowire.ConsumeBytes(message[n:])
		if m < 0 {
			t.Fatalf("field %d: %v", number, protowire.ParseError(m))
		}
		out[number] = append(out[number], value)
		message = message[n+m:]
	}
	return out
}

func field(message []byte, number protowire.Number, value string) []byte {
	return protowire.AppendString(protowire.AppendTag(message, number, protowire.BytesType), value)
}

// TestKMS proves.
func TestKMS(t *testing.T) {
	t.Parallel()
	conformance.On(t, func(t *testing.T, open func(*testing.T, conformance.Options) *conformance.Server) {
		p := openPlugin(t, open, nil)
		kmsMessages(t, p)
		kmsEncrypt(t, p)
		kmsOperations(t, p)
		t.Run("A-03", func(t *testing.T) { kmsHealth(t, open) })
		t.Run("A-05", func(t *testing.T) { kmsStale(t, openPlugin(t, open, nil)) })
		t.Run("A-07", func(t *testing.T) { kmsRotated(t, openPlugin(t, open, nil)) })
		t.Run("A-13", func(t *testing.T) { kmsRemoteID(t, open) })
		t.Run("A-17", func(t *testing.T) { kmsEndpoints(t, p) })
	})
}

func kmsMessages(t *testing.T, p *plugin) {
	t.Run("A-01", func(t *testing.T) {
		got := fields(t, p.raw(t, "Status", nil))
		if len(got) != 3 || len(got[1]) != 1 || len(got[2]) != 1 || len(got[3]) != 1 {
			t.Fatalf("Status answers fields %v, want 1, 2 and 3", got)
		}
		if string(got[1][0]) != "v2" || string(got[2][0]) != "ok" || string(got[3][0]) != p.status(t).KeyId {
			t.Errorf("Status answers %q, want v2, ok and the key id", got)
		}
	})
	t.Run("A-02", func(t *testing.T) {
		if got := p.status(t).Version; got != "v2" && got != "v2beta1" {
			t.Errorf("version = %q, want v2 or v2beta1", got)
		}
	})
	t.Run("A-04", func(t *testing.T) {
		if n := len(p.status(t).KeyId); n == 0 || n >= kilobyte {
			t.Errorf("key_id has %d bytes, want 1 to %d", n, kilobyte-1)
		}
	})
	t.Run("A-06", func(t *testing.T) {
		m := p.encrypt(t, "by hand")
		request := field(field(field(nil, 1, string(m.Ciphertext)), 2, "uid-1"), 3, m.KeyId)
		for name, value := range m.Annotations {
			request = field(request, 4, string(field(field(nil, 1, name), 2, string(value))))
		}
		got := fields(t, p.raw(t, "Decrypt", request))
		if len(got[1]) != 1 || string(got[1][0]) != "by hand" {
			t.Errorf("Decrypt answers %q, want by hand", got)
		}
	})
	t.Run("A-08", func(t *testing.T) {
		m := p.encrypt(t, "x")
		request := field(field(nil, 1, string(m.Ciphertext)), 3, m.KeyId)
		for name, value := range m.Annotations {
			request = field(request, 4, string(field(field(nil, 1, name), 2, string(value))))
		}
		if got := fields(t, p.raw(t, "Decrypt", request)); len(got) != 1 || len(got[1]) != 1 {
			t.Errorf("Decrypt answers %q, want field 1 alone", got)
		}
	})
	t.Run("A-09", func(t *testing.T) {
		got := fields(t, p.raw(t, "Encrypt", field(field(nil, 1, "plain"), 2, "uid-2")))
		if len(got[1]) != 1 {
			t.Errorf("Encrypt answers %q", got)
		}
	})
	t.Run("A-10", func(t *testing.T) {
		got := fields(t, p.raw(t, "Encrypt", field(nil, 1, "plain")))
		if len(got) != 3 || len(got[1]) != 1 || len(got[2]) != 1 || len(got[3]) < 1 {
			t.Fatalf("Encrypt answers fields %q, want 1, 2 and 3", got)
		}
		if want := p.status(t).KeyId; string(got[2][0]) != want {
			t.Errorf("key_id = %q, want %q", got[2][0], want)
		}
		for _, entry := range got[3] {
			if e := fields(t, entry); len(e[1]) != 1 || len(e[2]) != 1 {
				t.Errorf("annotation %q, want a key and a value", entry)
			}
		}
	})
}

// domain is RFC 1123: labels of lower-case letters, digits and dashes, at
// least two of them.
var domain = regexp.MustCompile(`^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?\.)+[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`)

func kmsEncrypt(t *testing.T, p *plugin) {
	long := strings.Repeat("p", 958)
	t.Run("A-11", func(t *testing.T) {
		for _, text := range []string{"p", strings.Repeat("p", 32), long} {
			if n := len(p.encrypt(t, text).Ciphertext); n == 0 || n >= kilobyte {
				t.Errorf("ciphertext of %d bytes has %d bytes, want 1 to %d", len(text), n, kilobyte-1)
			}
		}
		for name, text := range conformance.InOrder(map[string]string{"empty": "", "one too many": long + "p"}) {
			_, err := p.client.Encrypt(t.Context(), &api.EncryptRequest{Plaintext: []byte(text)})
			if status.Code(err) != codes.InvalidArgument {
				t.Errorf("%s: %v, want InvalidArgument", name, err)
			}
		}
	})
	t.Run("A-12", func(t *testing.T) {
		if n := len(p.encrypt(t, "p").KeyId); n == 0 || n >= kilobyte {
			t.Errorf("key_id has %d bytes, want 1 to %d", n, kilobyte-1)
		}
	})
	t.Run("A-14", func(t *testing.T) {
		secret := "a very recognizable secret of 32"
		m := p.encrypt(t, secret)
		for name, value := range m.Annotations {
			if bytes.Contains(value, []byte(secret)) || bytes.Contains(m.Ciphertext, []byte(secret)) {
				t.Errorf("annotation %s shows the plaintext", name)
			}
			// Raw key material would open the message without the plugin; a
			// wrapped key is longer than a key.
			if len(value) <= 32 {
				t.Errorf("annotation %s has %d bytes, which could be a bare key", name, len(value))
			}
		}
	})
	t.Run("A-15", func(t *testing.T) {
		m := p.encrypt(t, "p")
		if len(m.Annotations) == 0 {
			t.Error("no annotations to look at")
		}
		for name := range m.Annotations {
			if !domain.MatchString(name) || len(name) > 253 {
				t.Errorf("annotation key %q is not a fully qualified domain name", name)
			}
		}
	})
	t.Run("A-16", func(t *testing.T) {
		total := 0
		for name, value := range p.encrypt(t, long).Annotations {
			total += len(name) + len(value)
		}
		if total == 0 || total >= 32*kilobyte {
			t.Errorf("annotations have %d bytes, want 1 to %d", total, 32*kilobyte-1)
		}
	})
}

func kmsOperations(t *testing.T, p *plugin) {
	t.Run("A-18", func(t *testing.T) {
		first := p.raw(t, "Status", nil)
		for range 20 {
			if got := p.raw(t, "Status", nil); !bytes.Equal(got, first) {
				t.Fatalf("Status answers %q, then %q", first, got)
			}
		}
	})
	t.Run("A-19", func(t *testing.T) {
		for _, text := range []string{"\x00", "a", strings.Repeat("\xff", 32), strings.Repeat("z", 958)} {
			if got := p.decrypt(t, p.encrypt(t, text)); got != text {
				t.Errorf("got %d bytes back, want the %d given", len(got), len(text))
			}
		}
	})
	t.Run("A-20", func(t *testing.T) {
		one, two := p.encrypt(t, "the same"), p.encrypt(t, "the same")
		if bytes.Equal(one.Ciphertext, []byte("the same")) || bytes.Equal(one.Ciphertext, two.Ciphertext) {
			t.Error("the ciphertext is the plaintext, or repeats itself")
		}
		if got := p.decrypt(t, one); got != "the same" {
			t.Errorf("got %q back", got)
		}
	})
}

// remoteKey configures a transit key.
func remoteKey(server *transittest.Server) func(*app.Config) {
	return func(c *app.Config) {
		c.KMS.Provider = "transit"
		c.KMS.Transit.Address, c.KMS.Transit.Key = server.URL, transittest.KeyName
		c.KMS.Transit.Token = transittest.Token
		c.KMS.DataKeyUses = 3
	}
}

func kmsHealth(t *testing.T, open func(*testing.T, conformance.Options) *conformance.Server) {
	server := transittest.Start(t)
	p := openPlugin(t, open, remoteKey(server))
	healthy := p.status(t)
	if healthy.Healthz != "ok" {
		t.Fatalf("healthz = %q, want ok", healthy.Healthz)
	}
	m := p.encrypt(t, "kept")
	server.Fail(http.StatusServiceUnavailable)
	p.Clock.Advance(time.Minute)
	got := p.status(t)
	if got.Healthz == "ok" || !strings.Contains(got.Healthz, "503") || got.KeyId != healthy.KeyId {
		t.Errorf("Status = %v, want a text about the failure and the same key id", got)
	}
	if text := p.decrypt(t, m); text != "kept" {
		t.Errorf("known data keys stopped decrypting: %q", text)
	}
	server.Fail(0)
	server.Deny("decrypt")
	p.Clock.Advance(time.Minute)
	if got := p.status(t); got.Healthz == "ok" {
		t.Error("a lost permission to decrypt is not noticed")
	}
	server.Deny("")
	p.Clock.Advance(time.Minute)
	if got := p.status(t); got.Healthz != "ok" || got.KeyId != healthy.KeyId {
		t.Errorf("Status = %v, want health and the same key id", got)
	}
	if bad := server.Refusals(); len(bad) > 0 {
		t.Errorf("the server refused %q", bad)
	}
}

func (p *plugin) rotate(t *testing.T) {
	t.Helper()
	before := p.status(t).KeyId
	got := p.Command(t, "kms rotate", nil)
	if got["id"] == before || got["previous"] != before {
		t.Fatalf("rotate printed %v, want a new id after %s", got, before)
	}
	if now := p.status(t).KeyId; now != got["id"] {
		t.Fatalf("Status says %q after the rotation to %q", now, got["id"])
	}
}

func kmsStale(t *testing.T, p *plugin) {
	old := p.encrypt(t, "stored")
	p.rotate(t)
	if now := p.status(t).KeyId; now == old.KeyId {
		t.Errorf("key_id is still %q", now)
	}
	if fresh := p.encrypt(t, "stored"); fresh.KeyId != p.status(t).KeyId {
		t.Errorf("Encrypt says %q, Status %q", fresh.KeyId, p.status(t).KeyId)
	}
}

func kmsRotated(t *testing.T, p *plugin) {
	var all []*api.EncryptResponse
	ids := map[string]bool{}
	for range 3 {
		m := p.encrypt(t, "under an earlier key")
		if ids[m.KeyId] {
			t.Fatalf("key id %s was used before", m.KeyId)
		}
		ids[m.KeyId], all = true, append(all, m)
		p.rotate(t)
	}
	for _, m := range all {
		if got := p.decrypt(t, m); got != "under an earlier key" {
			t.Errorf("under %s: %q", m.KeyId, got)
		}
	}
}

// kmsRemoteID lets data keys change often while the remote key stays.
func kmsRemoteID(t *testing.T, open func(*testing.T, conformance.Options) *conformance.Server) {
	server := transittest.Start(t)
	p := openPlugin(t, open, remoteKey(server))
	want, wrapped := p.status(t).KeyId, map[string]bool{}
	var first *api.EncryptResponse
	for range 12 {
		m := p.encrypt(t, "x")
		if first == nil {
			first = m
		}
		if m.KeyId != want {
			t.Errorf("key_id = %q, want the remote key's %q", m.KeyId, want)
		}
		for _, value := range m.Annotations {
			wrapped[string(value)] = true
		}
	}
	if len(wrapped) < 3 {
		t.Errorf("%d data keys were used, want them to change", len(wrapped))
	}
	server.Rotate()
	p.Clock.Advance(time.Minute)
	if now := p.status(t).KeyId; now == want || p.encrypt(t, "x").KeyId != now {
		t.Errorf("a rotation of the remote key is not noticed: %q", now)
	}
	if got := p.decrypt(t, first); got != "x" {
		t.Errorf("the old version decrypts to %q", got)
	}
}

// kmsEndpoints calls by name on the socket and on the common listener.
func kmsEndpoints(t *testing.T, p *plugin) {
	if got := fields(t, p.raw(t, "Status", nil)); string(got[2][0]) != "ok" {
		t.Errorf("Status answers %q", got)
	}
	p.User(t, "kai")
	tcp := api.NewKeyManagementServiceClient(dial(t, strings.TrimPrefix(p.URL, "http://")))
	for name, row := range conformance.InOrder(map[string]struct {
		token string
		want  codes.Code
	}{
		"no token":           {"", codes.Unauthenticated},
		"unknown":            {"nonsense", codes.Unauthenticated},
		"of another service": {p.Token(t, "kai", "labels"), codes.Unauthenticated},
		"of this service":    {p.Token(t, "kai", "kms"), codes.OK},
	}) {
		ctx := t.Context()
		if row.token != "" {
			ctx = metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+row.token)
		}
		checkStatus(ctx, t, name, tcp, row.want, p.status(t).KeyId)
	}
}

func checkStatus(
	ctx context.Context, t *testing.T, name string, c api.KeyManagementServiceClient, want codes.Code, id string,
) {
	t.Helper()
	got, err := c.Status(ctx, &api.StatusRequest{})
	if status.Code(err) != want {
		t.Errorf("%s: %v, want %v", name, err, want)
	}
	if want == codes.OK && got.GetKeyId() != id {
		t.Errorf("%s: key id %q, want %q", name, got.GetKeyId(), id)
	}
}
