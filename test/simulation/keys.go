package simulation

import (
	"context"
	"fmt"
	"time"

	"google.golang.org/grpc"
	api "k8s.io/kms/apis/v2"
)

// sealed is a message with what was answered for it.
type sealed struct {
	text   string
	answer *api.EncryptResponse
}

// keys is what a cluster knows of its keys.
type keys struct {
	messages []sealed
	seen     []string // ids that were published, oldest first
	// gone are the ids whose destruction was acknowledged, unsure those where it was cut off.
	gone, unsure map[string]bool
}

// registrar catches the procedures that a module registers, to call them without a socket.
type registrar struct {
	keys api.KeyManagementServiceServer
}

// RegisterService keeps the procedures of key management.
func (r *registrar) RegisterService(_ *grpc.ServiceDesc, procedures any) {
	if k, ok := procedures.(api.KeyManagementServiceServer); ok {
		r.keys = k
	}
}

// keyServer gives the procedures of the world as it runs now.
func (s *simulated) keyServer() (api.KeyManagementServiceServer, error) {
	var r registrar
	for _, m := range s.app.Modules() {
		if m.RegisterRPC != nil {
			m.RegisterRPC(&r)
		}
	}
	if r.keys == nil {
		return nil, fmt.Errorf("simulation: no module registers key management")
	}
	return r.keys, nil
}

// manageKeys encrypts, decrypts, rotates or destroys (P9).
func (s *simulated) manageKeys(ctx context.Context) (int, error) {
	server, err := s.keyServer()
	if err != nil {
		return 0, err
	}
	switch n := s.random.IntN(100); {
	case n < 45 || len(s.keys.messages) == 0:
		return s.seal(ctx, server), nil
	case n < 75:
		ctx := s.store.begin(ctx, "keys")
		m := s.keys.messages[s.random.IntN(len(s.keys.messages))]
		s.checkMessage(ctx, server, m)
		return s.store.faults(), nil
	case n < 92:
		_, met := s.changeKeys(ctx, "kms rotate", nil)
		return met, nil
	}
	return s.destroy(ctx, server), nil
}

func (s *simulated) seal(ctx context.Context, server api.KeyManagementServiceServer) int {
	ctx = s.store.begin(ctx, "keys")
	text := fmt.Sprintf("message %d", len(s.keys.messages))
	m, err := server.Encrypt(ctx, &api.EncryptRequest{Plaintext: []byte(text), Uid: "simulated"})
	met := s.store.faults()
	fmt.Fprintf(&s.transcript, "encrypt %v %x %v\n", err, m.GetCiphertext(), m.GetKeyId())
	switch {
	case err == nil && s.keys.gone[m.KeyId]:
		s.violate("P9: a message is encrypted under key %s, which was destroyed", m.KeyId)
	case err == nil:
		s.keys.messages = append(s.keys.messages, sealed{text, m})
		s.publish(m.KeyId)
	case met == 0:
		s.violate("P11: encrypt: %v without a fault", err)
	}
	return met
}

func (s *simulated) publish(id string) {
	if n := len(s.keys.seen); n == 0 || s.keys.seen[n-1] != id {
		s.keys.seen = append(s.keys.seen, id)
	}
}

// checkMessage holds what becomes of a message against what is known of its key.
func (s *simulated) checkMessage(ctx context.Context, server api.KeyManagementServiceServer, m sealed) {
	id := m.answer.KeyId
	back, err := server.Decrypt(ctx, &api.DecryptRequest{
		Ciphertext: m.answer.Ciphertext, KeyId: id, Annotations: m.answer.Annotations, Uid: "simulated",
	})
	fmt.Fprintf(&s.transcript, "decrypt %v %q\n", err, back.GetPlaintext())
	switch {
	case err == nil && s.keys.gone[id]:
		s.violate("P9: key %s was destroyed and still decrypts", id)
	case err == nil && string(back.Plaintext) != m.text:
		s.violate("P9: %q came back as %q", m.text, back.Plaintext)
	case err != nil && !s.keys.gone[id] && !s.keys.unsure[id] && s.store.faults() == 0:
		s.violate("P9: a message under key %s is lost: %v", id, err)
	}
}

// changeKeys runs an operator's command on a store that fails.
func (s *simulated) changeKeys(ctx context.Context, path string, values map[string][]string) (done bool, met int) {
	_, err := s.command(s.store.begin(ctx, path), path, values)
	met = s.store.faults()
	if s.comeBack(ctx) {
		err = errEnded
	}
	fmt.Fprintf(&s.transcript, "%s %v\n", path, err)
	if err != nil && met == 0 {
		s.violate("P11: %s: %v without a fault", path, err)
	}
	return err == nil, met
}

// destroy ends the oldest key that was replaced.
func (s *simulated) destroy(ctx context.Context, server api.KeyManagementServiceServer) int {
	s.store.arm(false) // what is current decides what may be destroyed
	status, err := server.Status(ctx, &api.StatusRequest{})
	s.store.arm(true)
	if err != nil {
		s.violate("P11: Status: %v without a fault", err)
		return 0
	}
	s.clock.Advance(11 * time.Minute) // other processes of one store may use a key that long
	for _, id := range s.keys.seen {
		if id == status.KeyId || s.keys.gone[id] || s.keys.unsure[id] {
			continue
		}
		done, met := s.changeKeys(ctx, "kms destroy", map[string][]string{"id": {id}})
		if done {
			s.keys.gone[id] = true
		} else {
			s.keys.unsure[id] = true
		}
		return met
	}
	_, met := s.changeKeys(ctx, "kms rotate", nil)
	return met
}

// auditKeys decrypts everything without faults.
func (s *simulated) auditKeys(ctx context.Context) error {
	s.store.arm(false)
	server, err := s.keyServer()
	if err != nil {
		return err
	}
	ctx = s.store.begin(ctx, "keys")
	for _, m := range s.keys.messages {
		s.checkMessage(ctx, server, m)
	}
	return nil
}
