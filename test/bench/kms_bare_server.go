package main

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"

	"google.golang.org/grpc"
	api "k8s.io/kms/apis/v2"
)

// bareKMSWord makes this program the bare key-management server.
const bareKMSWord = "bare-kms-server"

// bareKMS does one AES-GCM a call, with a key in memory and nothing else. Its
// messages are as long as ours, so that the transport carries the same bytes.
type bareKMS struct {
	api.UnimplementedKeyManagementServiceServer
	aead        cipher.AEAD
	annotations map[string][]byte
}

const bareKeyID = "bare-00000000000000000000000000000000"

func (b *bareKMS) Status(context.Context, *api.StatusRequest) (*api.StatusResponse, error) {
	// Every call of the bare server does one AES-GCM; a probe would do two.
	b.aead.Seal(nil, nil, make([]byte, 32), nil)
	return &api.StatusResponse{Version: "v2", Healthz: "ok", KeyId: bareKeyID}, nil
}

func (b *bareKMS) Encrypt(_ context.Context, r *api.EncryptRequest) (*api.EncryptResponse, error) {
	return &api.EncryptResponse{
		Ciphertext: b.aead.Seal(nil, nil, r.GetPlaintext(), nil), KeyId: bareKeyID, Annotations: b.annotations,
	}, nil
}

func (b *bareKMS) Decrypt(_ context.Context, r *api.DecryptRequest) (*api.DecryptResponse, error) {
	plain, err := b.aead.Open(nil, nil, r.GetCiphertext(), nil)
	if err != nil {
		return nil, err
	}
	return &api.DecryptResponse{Plaintext: plain}, nil
}

// serveBareKMS serves on the socket whose path comes in.
func serveBareKMS(in io.Reader, out io.Writer) error {
	var socket string
	if _, err := fmt.Fscanln(in, &socket); err != nil {
		return err
	}
	block, err := aes.NewCipher(make([]byte, 32))
	if err != nil {
		return err
	}
	b := &bareKMS{annotations: map[string][]byte{"wrapped-key.kms.bare.dev": make([]byte, 73)}}
	if b.aead, err = cipher.NewGCMWithRandomNonce(block); err != nil {
		return err
	}
	listener, err := net.Listen("unix", socket)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "ready")
	server := grpc.NewServer()
	api.RegisterKeyManagementServiceServer(server, b)
	return server.Serve(listener)
}

// startBareKMS runs it as a child, as ours is one.
func (b *bench) startBareKMS(ctx context.Context) (*kmsPlugin, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	dir := b.folder("kms-bare")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	socket := filepath.Join(dir, "kms.sock")
	cmd := exec.CommandContext(ctx, self, bareKMSWord)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	stop := func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	var word string
	if _, err := fmt.Fprintln(stdin, socket); err != nil {
		stop()
		return nil, err
	}
	if _, err := fmt.Fscanln(stdout, &word); err != nil {
		stop()
		return nil, fmt.Errorf("bare key-management server: %w", err)
	}
	return dialKMS(ctx, socket, stop)
}
