package lab_test

import (
	"fmt"
	"net/http"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	api "k8s.io/kms/apis/v2"
)

// dialKMS reaches the world's key-management socket.
func (w *world) dialKMS(t *testing.T) api.KeyManagementServiceClient {
	t.Helper()
	conn, err := grpc.NewClient("unix:"+w.Env["STOA_KMS_SOCKET"], grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	})
	return api.NewKeyManagementServiceClient(conn)
}

// TestKMSFaults is a cluster whose plugin turns unhealthy and changes its key.
func TestKMSFaults(t *testing.T) {
	t.Parallel()
	c := open(t, t.TempDir())
	w := c.create(t, `{}`)
	kms := w.dialKMS(t)
	before, err := kms.Status(t.Context(), &api.StatusRequest{})
	if err != nil || before.Healthz != "ok" {
		t.Fatalf("status %v, %v", before, err)
	}
	sealed, err := kms.Encrypt(t.Context(), &api.EncryptRequest{Plaintext: []byte("secret"), Uid: "1"})
	if err != nil {
		t.Fatal(err)
	}

	w.fault(t, `{"match":{"service":"kms"},"when":{"first":2},"deed":{"fault":"kms_unhealthy"}}`)
	if sick, err := kms.Status(t.Context(), &api.StatusRequest{}); err != nil || sick.Healthz == "ok" {
		t.Errorf("unhealthy: %v, %v", sick, err)
	}
	_, err = kms.Encrypt(t.Context(), &api.EncryptRequest{Plaintext: []byte("x"), Uid: "2"})
	if status.Code(err) != codes.Unavailable {
		t.Errorf("unhealthy: %v", err)
	}

	w.fault(t, `{"match":{"service":"kms","operation":"Status"},"when":{"first":1},"deed":{"fault":"key_id_changed"}}`)
	after, err := kms.Status(t.Context(), &api.StatusRequest{})
	if err != nil || after.KeyId == before.KeyId || after.Healthz != "ok" {
		t.Errorf("changed: %v, %v", after, err)
	}
	opened, err := kms.Decrypt(t.Context(), &api.DecryptRequest{
		Ciphertext: sealed.Ciphertext, KeyId: sealed.KeyId, Annotations: sealed.Annotations, Uid: "3",
	})
	if err != nil || string(opened.Plaintext) != "secret" {
		t.Errorf("the old secret: %v, %v", opened, err)
	}
	c.call(t, http.MethodDelete, w.path()+"/faults", "").want(t, http.StatusNoContent)

	for name, want := range map[string]codes.Code{
		"provider_unavailable": codes.Unavailable, "provider_denied": codes.PermissionDenied,
		"provider_unauthenticated": codes.Unauthenticated, "provider_throttled": codes.ResourceExhausted,
		"key_disabled": codes.FailedPrecondition, "key_unknown": codes.NotFound,
		"ciphertext_altered": codes.InvalidArgument, "unavailable": codes.Unavailable, "internal": codes.Internal,
		"rate_limited": codes.ResourceExhausted, "deadline_exceeded": codes.DeadlineExceeded,
	} {
		w.fault(t, fmt.Sprintf(`{"match":{"operation":"Decrypt"},"when":{"first":1},"deed":{"fault":%q}}`, name))
		_, err := kms.Decrypt(t.Context(), &api.DecryptRequest{
			Ciphertext: sealed.Ciphertext, KeyId: sealed.KeyId, Annotations: sealed.Annotations, Uid: "4",
		})
		if status.Code(err) != want {
			t.Errorf("%s: %v, want %v", name, err, want)
		}
	}
}
