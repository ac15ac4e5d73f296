package kms_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/server/options/encryptionconfig"
	"k8s.io/apiserver/pkg/storage/value"
	"k8s.io/apiserver/pkg/storage/value/encrypt/envelope/kmsv2"
	kmsservice "k8s.io/kms/pkg/service"

	"stoa.dev/stoa/test/sdk/world"
)

// TestClient speaks through the envelope client.
func TestClient(t *testing.T) {
	s := world.Serve(t, world.Options{Env: []string{"STOA_LISTEN_KMS=" + filepath.Join(t.TempDir(), "kms.sock")}})
	client, err := kmsv2.NewGRPCService(t.Context(), "unix://"+s.Env["STOA_KMS_SOCKET"], "stoa", 3*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	status, err := client.Status(t.Context())
	if err != nil || status.Healthz != "ok" || status.Version != "v2" {
		t.Fatalf("Status = %+v, %v; want ok and v2", status, err)
	}
	if _, err := kmsv2.ValidateKeyID(status.KeyID); err != nil {
		t.Error(err)
	}
	seed := bytes.Repeat([]byte{7}, 32)
	sealed, err := client.Encrypt(t.Context(), "uid-1", seed)
	if err != nil || sealed.KeyID != status.KeyID {
		t.Fatalf("Encrypt = %+v, %v; want key %s", sealed, err, status.KeyID)
	}
	back, err := client.Decrypt(t.Context(), "uid-2", &kmsservice.DecryptRequest{
		Ciphertext: sealed.Ciphertext, KeyID: sealed.KeyID, Annotations: sealed.Annotations,
	})
	if err != nil || !bytes.Equal(back, seed) {
		t.Fatalf("Decrypt = %x, %v; want %x", back, err, seed)
	}
}

const configuration = `apiVersion: apiserver.config.k8s.io/v1
kind: EncryptionConfiguration
resources:
  - resources: [secrets]
    providers:
      - kms:
          apiVersion: v2
          name: stoa
          endpoint: unix://%s
          timeout: 3s
      - identity: {}
`

// cluster is what the API server builds from the configuration.
type cluster struct {
	t      *testing.T
	loaded *encryptionconfig.EncryptionConfiguration
}

func load(t *testing.T, socket string) *cluster {
	t.Helper()
	file := filepath.Join(t.TempDir(), "encryption.yaml")
	if err := os.WriteFile(file, fmt.Appendf(nil, configuration, socket), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	loaded, err := encryptionconfig.LoadEncryptionConfig(ctx, file, false, "test-server")
	if err != nil {
		t.Fatal(err)
	}
	return &cluster{t: t, loaded: loaded}
}

func (c *cluster) secrets() value.Transformer {
	return c.loaded.Transformers[schema.GroupResource{Resource: "secrets"}]
}

func (c *cluster) store(text string) []byte {
	c.t.Helper()
	out, err := c.secrets().TransformToStorage(c.t.Context(), []byte(text), value.DefaultContext("default/"+text))
	if err != nil {
		c.t.Fatalf("store: %v", err)
	}
	if !bytes.HasPrefix(out, []byte("k8s:enc:kms:v2:stoa:")) || bytes.Contains(out[40:], []byte(text)) {
		c.t.Fatalf("stored %q, want it encrypted by the plugin", out)
	}
	return out
}

func (c *cluster) read(stored []byte, want string) (stale bool) {
	c.t.Helper()
	out, stale, err := c.secrets().TransformFromStorage(c.t.Context(), stored, value.DefaultContext("default/"+want))
	if err != nil || string(out) != want {
		c.t.Fatalf("read %q, %v; want %q", out, err, want)
	}
	return stale
}

func (c *cluster) health() error {
	for _, check := range c.loaded.HealthChecks {
		if err := check.Check(httptest.NewRequest("GET", "/healthz", nil)); err != nil {
			return err
		}
	}
	return nil
}

// await polls until the condition holds. The API server caches a good health
// for 20 s, so this is the one place that has to wait for wall-clock time.
func (c *cluster) await(what string, ok func() bool) {
	c.t.Helper()
	began := time.Now()
	for !ok() {
		if time.Since(began) > 45*time.Second {
			c.t.Fatalf("not within 45 s: %s (health: %v)", what, c.health())
		}
		time.Sleep(250 * time.Millisecond)
	}
	c.t.Logf("%s after %s", what, time.Since(began).Round(time.Millisecond))
}

// TestRotation stores, rotates, and finds what was stored stale but readable,
// also by a second API server that starts later.
func TestRotation(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := start(t, dir)
	c := load(t, p.socket)
	c.await("healthy", func() bool { return c.health() == nil })
	first := c.store("first")
	if c.read(first, "first") {
		t.Error("what was just stored is stale")
	}
	p.Command(t, "kms", "rotate")
	c.await("the rotation is noticed", func() bool { _ = c.health(); return c.read(first, "first") })
	second := c.store("second")
	if c.read(second, "second") {
		t.Error("what was stored after the rotation is stale")
	}
	p.Stop(t)
	again := start(t, dir)
	late := load(t, again.socket)
	late.await("healthy", func() bool { return late.health() == nil })
	if !late.read(first, "first") || late.read(second, "second") {
		t.Error("after a restart, the first must be stale and the second not")
	}
	if keys := again.Command(t, "kms", "keys"); strings.Count(keys, "local-") < 2 {
		t.Errorf("kms keys prints %q, want both keys", keys)
	}
}

// TestProviderComesAndGoes makes the remote key fail and work again.
func TestProviderComesAndGoes(t *testing.T) {
	t.Parallel()
	r := startRemote(t)
	p := start(t, t.TempDir(), "STOA_KMS_PROVIDER=transit", "STOA_KMS_TRANSIT_ADDRESS="+r.URL,
		"STOA_KMS_TRANSIT_KEY=cluster", "STOA_KMS_TRANSIT_TOKEN=t", "STOA_KMS_PROBE_EVERY=1s")
	c := load(t, p.socket)
	c.await("healthy", func() bool { return c.health() == nil })
	stored := c.store("kept")
	r.down.Store(true)
	c.await("unhealthy", func() bool { return c.health() != nil })
	if err := c.health(); !strings.Contains(err.Error(), "sealed") {
		t.Errorf("health = %v, want the plugin's words in it", err)
	}
	c.read(stored, "kept")
	r.down.Store(false)
	c.await("healthy again", func() bool { return c.health() == nil })
	if c.read(stored, "kept") {
		t.Error("the key id changed while the provider was away")
	}
	c.store("after")
}
