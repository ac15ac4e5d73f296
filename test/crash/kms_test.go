package crash_test

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	api "k8s.io/kms/apis/v2"

	"stoa.dev/stoa/internal/app/admin"
	"stoa.dev/stoa/test/program"
)

const (
	keyWriters  = 4
	keptPerLife = 50 // messages of each writer that are audited for ever
)

// TestKillWhileKeysChange kills the server while it encrypts and rotates. No
// key id that anybody saw may be lost, and none may come back as current.
func TestKillWhileKeysChange(t *testing.T) {
	t.Parallel()
	binary, err := program.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	r := &keyRun{binary: binary, data: t.TempDir(), kills: often(6, 15), retired: map[string]bool{}}
	r.socket = filepath.Join(t.TempDir(), "kms.sock")
	for range r.kills {
		p, s := r.start(t)
		r.audit(t, s)
		r.changeAndKill(t, p, s, time.Duration(random.Int64N(int64(longestLife))))
		if t.Failed() {
			t.Fatal("stopped")
		}
	}
	_, s := r.start(t)
	r.audit(t, s)
	t.Logf("%d messages under %d keys, %d rotations acknowledged", len(r.messages), len(r.retired)+1, r.rotations)
	if len(r.messages) < r.kills || r.rotations < r.kills {
		t.Errorf("the ledger is too thin: %d messages, %d rotations", len(r.messages), r.rotations)
	}
}

// keyRun is one data folder over many lives, with the ledger of what was seen.
type keyRun struct {
	binary, data, socket string
	kills                int

	mu        sync.Mutex
	messages  []*api.EncryptResponse
	retired   map[string]bool // ids whose successor was seen
	current   string          // the last id that was acknowledged
	rotations int
}

type keyServer struct {
	conn  *grpc.ClientConn
	kms   api.KeyManagementServiceClient
	admin *admin.Client
}

func (r *keyRun) start(t *testing.T) (*program.Process, *keyServer) {
	t.Helper()
	p, err := program.Start(t.Context(), program.Options{
		Binary: r.binary, Data: r.data, Args: []string{"--kms-socket", r.socket},
		Env: []string{"STOA_LOG_LEVEL=error", "STOA_KMS_DATA_KEY_USES=100"},
	})
	if err != nil {
		t.Fatalf("the server does not come back: %v", err)
	}
	t.Cleanup(p.Kill)
	conn, err := grpc.NewClient("unix://"+r.socket, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	client, _, err := admin.Dial(t.Context(), r.data)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return p, &keyServer{conn: conn, kms: api.NewKeyManagementServiceClient(conn), admin: client}
}

// audit reads everything that was ever encrypted.
func (r *keyRun) audit(t *testing.T, s *keyServer) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	got, err := s.kms.Status(ctx, &api.StatusRequest{})
	if err != nil || got.Healthz != "ok" {
		t.Fatalf("Status = %v, %v; want health", got, err)
	}
	if r.retired[got.KeyId] {
		t.Errorf("key %s is current again", got.KeyId)
	}
	if r.current != "" && r.current != got.KeyId {
		// A rotation that was cut off may have happened.
		r.retired[r.current] = true
	}
	r.current = got.KeyId
	for _, m := range r.messages {
		back, err := s.kms.Decrypt(ctx, &api.DecryptRequest{
			Ciphertext: m.Ciphertext, KeyId: m.KeyId, Annotations: m.Annotations,
		})
		if err != nil || string(back.Plaintext) != "kept" {
			t.Fatalf("a message under %s is lost: %v", m.KeyId, err)
		}
	}
}

// changeAndKill encrypts and rotates for a moment, then pulls the plug.
func (r *keyRun) changeAndKill(t *testing.T, p *program.Process, s *keyServer, life time.Duration) {
	t.Helper()
	var group sync.WaitGroup
	first := make(chan struct{})
	var once sync.Once
	for range keyWriters {
		group.Go(func() {
			for kept := 0; ; kept++ {
				m, err := s.kms.Encrypt(context.Background(), &api.EncryptRequest{Plaintext: []byte("kept")})
				if err != nil {
					return
				}
				if kept < keptPerLife {
					r.mu.Lock()
					r.messages = append(r.messages, m)
					r.mu.Unlock()
				}
			}
		})
	}
	group.Go(func() {
		for {
			text, err := s.admin.Run(context.Background(), "kms rotate", nil, nil)
			if err != nil {
				return
			}
			var got struct{ ID, Previous string }
			if err := json.Unmarshal(text, &got); err != nil || got.ID == "" {
				t.Errorf("rotate printed %s", text)
				return
			}
			r.mu.Lock()
			r.retired[got.Previous], r.current, r.rotations = true, got.ID, r.rotations+1
			r.mu.Unlock()
			once.Do(func() { close(first) })
		}
	})
	select {
	case <-first:
	case <-time.After(10 * time.Second):
		t.Error("no rotation was acknowledged within 10 s")
	}
	time.Sleep(life)
	p.Kill()
	_ = s.conn.Close()
	group.Wait()
}
