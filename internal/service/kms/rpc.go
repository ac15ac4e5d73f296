package kms

import (
	"context"
	"errors"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	api "k8s.io/kms/apis/v2"
)

// apiVersion is what Status answers; callers expect that it never changes.
const apiVersion = "v2"

// server is the gRPC service: it decodes, calls and encodes.
type server struct {
	api.UnimplementedKeyManagementServiceServer
	service *Service
}

// Status reports the health and the current key.
func (s *server) Status(ctx context.Context, _ *api.StatusRequest) (*api.StatusResponse, error) {
	h, err := s.service.Status(ctx)
	if err != nil {
		return nil, toStatus(err)
	}
	return &api.StatusResponse{Version: apiVersion, Healthz: h.Text, KeyId: h.KeyID}, nil
}

// Encrypt encrypts under the current key.
func (s *server) Encrypt(ctx context.Context, r *api.EncryptRequest) (*api.EncryptResponse, error) {
	if err := checkUID(r.GetUid()); err != nil {
		return nil, toStatus(err)
	}
	m, err := s.service.Encrypt(ctx, r.GetPlaintext())
	if err != nil {
		return nil, toStatus(err)
	}
	return &api.EncryptResponse{Ciphertext: m.Ciphertext, KeyId: m.KeyID, Annotations: m.Annotations}, nil
}

// Decrypt decrypts what Encrypt answered.
func (s *server) Decrypt(ctx context.Context, r *api.DecryptRequest) (*api.DecryptResponse, error) {
	if err := checkUID(r.GetUid()); err != nil {
		return nil, toStatus(err)
	}
	plaintext, err := s.service.Decrypt(ctx, Sealed{
		Ciphertext: r.GetCiphertext(), KeyID: r.GetKeyId(), Annotations: r.GetAnnotations(),
	})
	if err != nil {
		return nil, toStatus(err)
	}
	return &api.DecryptResponse{Plaintext: plaintext}, nil
}

// checkUID bounds the one field that is only for logs. It may be absent.
func checkUID(uid string) error {
	if len(uid) > maxUID {
		return errInvalid("uid has %d bytes, at most %d are allowed", len(uid), maxUID)
	}
	return nil
}

// toStatus is the only place that knows which failure has which gRPC code.
func toStatus(err error) error {
	var e *Error
	if !errors.As(err, &e) {
		e = asError("the key provider", err)
	}
	return status.Error(grpcCode(e.Code), e.Message)
}

func grpcCode(c Code) codes.Code {
	switch c {
	case CodeInvalid:
		return codes.InvalidArgument
	case CodeUnknownKey:
		return codes.NotFound
	case CodeUnusable:
		return codes.FailedPrecondition
	case CodeUnavailable:
		return codes.Unavailable
	case CodeUnauthenticated:
		return codes.Unauthenticated
	case CodeDenied:
		return codes.PermissionDenied
	case CodeExhausted:
		return codes.ResourceExhausted
	case CodeDeadline:
		return codes.DeadlineExceeded
	case CodeCanceled:
		return codes.Canceled
	case CodeUnsupported:
		return codes.Unimplemented
	case CodeInternal:
		return codes.Internal
	}
	return codes.Internal
}
