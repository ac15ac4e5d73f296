package main

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"os"
	"path/filepath"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	api "k8s.io/kms/apis/v2"
	"k8s.io/kms/pkg/service"
)

// kmsWord makes this program the key-management server of the library.
const kmsWord = "kms-server"

func kmsServer() peer {
	return peer{
		name: "k8s.io/kms", pin: pins()["kms"],
		durable: "nothing: its one key is gone with the process",
		differs: []string{
			"The library brings the gRPC server of the plugin; the service behind it here is the least " +
				"there is, AES-GCM " +
				"with one key in memory. Stoa's key is kept sealed in its store and " +
				"rotated; its messages carry their wrapped data key and are authenticated together with it.",
			"Both are called over a unix socket by one client of the library with 16 calls in flight on one " +
				"connection, as an API server calls them.",
		},
		servers: func(_ context.Context, r *run, _ pin) (theirs, ours server, err error) {
			self, err := os.Executable()
			theirs = server{
				arguments: func(folder, _ string) []string { return []string{self, kmsWord, kmsSocket(folder)} },
				answered:  kmsAnswered,
			}
			ours = r.stoa()
			plain := ours.arguments
			ours.arguments = func(folder, address string) []string {
				return append(plain(folder, address), "--kms-socket", kmsSocket(folder))
			}
			ours.answered = kmsAnswered
			return theirs, ours, err
		},
		asks: kmsAsks,
	}
}

func kmsSocket(folder string) string { return filepath.Join(folder, "kms.sock") }

// kmsDial connects to the server of a folder.
func kmsDial(folder string) (api.KeyManagementServiceClient, *grpc.ClientConn, error) {
	conn, err := grpc.NewClient("unix://"+kmsSocket(folder), grpc.WithTransportCredentials(insecure.NewCredentials()))
	return api.NewKeyManagementServiceClient(conn), conn, err
}

// kmsAnswered is the first answer of a start.
func kmsAnswered(ctx context.Context, folder string) error {
	client, conn, err := kmsDial(folder)
	if err != nil {
		return err
	}
	defer conn.Close()
	_, err = client.Status(ctx, &api.StatusRequest{})
	return err
}

func kmsAsks(ctx context.Context, r *run, theirs, ours *child) ([]ask, error) {
	their, err := newKMSClient(ctx, theirs.folder)
	if err != nil {
		return nil, err
	}
	our, err := newKMSClient(ctx, ours.folder)
	if err != nil {
		return nil, err
	}
	both := func(what string, call func(*kmsClient) func(context.Context) error) ask {
		return ask{
			what: what, clients: readers, theirs: what, ours: what,
			askTheirs: r.calls(theirs, readers, call(their)), askOurs: r.calls(ours, readers, call(our)),
		}
	}
	return []ask{
		both("Status", func(c *kmsClient) func(context.Context) error { return c.status }),
		both("Encrypt", func(c *kmsClient) func(context.Context) error { return c.encrypt }),
		both("Decrypt", func(c *kmsClient) func(context.Context) error { return c.decrypt }),
	}, nil
}

// kmsClient is a connection and a message of its server. The process ends with
// the run, and the connection with it.
type kmsClient struct {
	api     api.KeyManagementServiceClient
	message *api.EncryptResponse
}

const kmsCaller = "8d0f4d4a-3a52-4d8e-9f0e-5b3f6b1c2d3e"

func newKMSClient(ctx context.Context, folder string) (*kmsClient, error) {
	client, _, err := kmsDial(folder)
	if err != nil {
		return nil, err
	}
	message, err := client.Encrypt(ctx, &api.EncryptRequest{Plaintext: make([]byte, 32), Uid: kmsCaller})
	return &kmsClient{api: client, message: message}, err
}

func (c *kmsClient) status(ctx context.Context) error {
	_, err := c.api.Status(ctx, &api.StatusRequest{})
	return err
}

func (c *kmsClient) encrypt(ctx context.Context) error {
	_, err := c.api.Encrypt(ctx, &api.EncryptRequest{Plaintext: make([]byte, 32), Uid: kmsCaller})
	return err
}

func (c *kmsClient) decrypt(ctx context.Context) error {
	_, err := c.api.Decrypt(ctx, &api.DecryptRequest{
		Ciphertext: c.message.Ciphertext, KeyId: c.message.KeyId, Annotations: c.message.Annotations, Uid: kmsCaller,
	})
	return err
}

// serveKMS is the library's server with a trivial service behind it.
func serveKMS(socket string) error {
	key := make([]byte, 32)
	if _, err := rand.Read(key); err != nil {
		return err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return err
	}
	return service.NewGRPCService(socket, 10*time.Second, localKey{aead}).ListenAndServe()
}

// localKey encrypts with one key in memory.
type localKey struct{ aead cipher.AEAD }

const localKeyID = "local-0000000000000000000000000000000"

func (k localKey) Status(context.Context) (*service.StatusResponse, error) {
	return &service.StatusResponse{Version: "v2", Healthz: "ok", KeyID: localKeyID}, nil
}

func (k localKey) Encrypt(_ context.Context, _ string, data []byte) (*service.EncryptResponse, error) {
	return &service.EncryptResponse{Ciphertext: k.aead.Seal(nil, nil, data, nil), KeyID: localKeyID}, nil
}

func (k localKey) Decrypt(_ context.Context, _ string, request *service.DecryptRequest) ([]byte, error) {
	return k.aead.Open(nil, nil, request.Ciphertext, nil)
}
