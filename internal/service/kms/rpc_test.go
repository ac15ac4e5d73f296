package kms

import (
	"context"
	"errors"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	api "k8s.io/kms/apis/v2"

	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/kms/provider"
)

// TestCodes checks the gRPC code of every failure and of every provider's kind.
func TestCodes(t *testing.T) {
	t.Parallel()
	for c, want := range map[Code]codes.Code{
		CodeInvalid: codes.InvalidArgument, CodeUnknownKey: codes.NotFound, CodeUnusable: codes.FailedPrecondition,
		CodeUnavailable: codes.Unavailable, CodeUnauthenticated: codes.Unauthenticated,
		CodeDenied:    codes.PermissionDenied,
		CodeExhausted: codes.ResourceExhausted, CodeDeadline: codes.DeadlineExceeded, CodeCanceled: codes.Canceled,
		CodeUnsupported: codes.Unimplemented, CodeInternal: codes.Internal, "else": codes.Internal,
	} {
		if got := status.Code(toStatus(newError(c, "message").because(errors.New("cause")))); got != want {
			t.Errorf("%s: %v, want %v", c, got, want)
		}
	}
	for kind, want := range map[provider.Kind]codes.Code{
		provider.Unavailable: codes.Unavailable, provider.Unauthenticated: codes.Unauthenticated,
		provider.Denied:   codes.PermissionDenied,
		provider.Disabled: codes.FailedPrecondition, provider.Throttled: codes.ResourceExhausted,
		provider.Refused: codes.InvalidArgument, provider.Unsupported: codes.Unimplemented, "else": codes.Unavailable,
	} {
		err := toStatus(provider.NewError(kind, errors.New("cause"), "message of the remote"))
		if got := status.Code(err); got != want || !strings.Contains(err.Error(), "message of the remote") ||
			strings.Contains(err.Error(), "cause") {
			t.Errorf("%s: %v, want %v", kind, err, want)
		}
	}
	for err, want := range map[error]codes.Code{
		context.DeadlineExceeded: codes.DeadlineExceeded, context.Canceled: codes.Canceled,
		errors.New("an SQL statement with a secret"): codes.Unavailable,
	} {
		got := toStatus(err)
		if status.Code(got) != want || strings.Contains(got.Error(), "secret") {
			t.Errorf("%v: %v, want %v", err, got, want)
		}
	}
}

// TestUID checks the only rule of a field that is for logs.
func TestUID(t *testing.T) {
	t.Parallel()
	s := &server{}
	long := strings.Repeat("u", maxUID+1)
	_, err := s.Encrypt(t.Context(), &api.EncryptRequest{Plaintext: []byte("x"), Uid: long})
	if status.Code(err) != codes.InvalidArgument {
		t.Errorf("Encrypt: %v, want InvalidArgument", err)
	}
	if _, err := s.Decrypt(t.Context(), &api.DecryptRequest{Uid: long}); status.Code(err) != codes.InvalidArgument {
		t.Errorf("Decrypt: %v, want InvalidArgument", err)
	}
	if err := checkUID(long[:maxUID]); err != nil {
		t.Errorf("%d bytes: %v", maxUID, err)
	}
}

func TestCacheIsBounded(t *testing.T) {
	t.Parallel()
	c := newDataKeyCache(8)
	hot := newDataKey("hot", []byte("w"), nil)
	c.put(hot)
	for i := range 200 {
		c.get("hot", []byte("w"))
		c.put(newDataKey("k", []byte{byte(i)}, nil))
		if n := c.len(); n > 8 {
			t.Fatalf("%d entries, want at most 8", n)
		}
	}
	c.forget("k")
	if n := c.len(); n > 1 {
		t.Errorf("%d entries after forget, want at most 1", n)
	}
}

func TestAnswersAreMeasured(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		id      string
		wrapped int
		good    bool
	}{
		"good":                   {"id", 100, true},
		"id of 999":              {strings.Repeat("i", 999), 100, true},
		"id of 1000":             {strings.Repeat("i", 1000), 100, false},
		"no id":                  {"", 100, false},
		"no wrapped key":         {"id", 0, false},
		"annotations of 31999":   {"id", 31_999 - len(annotation), true},
		"annotations of 32000":   {"id", 32_000 - len(annotation), false},
		"annotations far beyond": {"id", 100_000, false},
	} {
		err := newDataKey(row.id, make([]byte, row.wrapped), nil).checkSizes()
		if (err == nil) != row.good {
			t.Errorf("%s: %v, want good %v", name, err, row.good)
		}
	}
}

// TestClip checks that text is cut between characters: half a character cannot be
// sent.
func TestClip(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "", "12345": "12345", "123456": "12345…", "1234é": "1234…", "123é": "123é", "€€€": "€…",
	} {
		if got := wire.Clip(text, 5); got != want {
			t.Errorf("clip(%q) = %q, want %q", text, got, want)
		}
	}
}

func (c *dataKeyCache) len() int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.entries.Len()
}
