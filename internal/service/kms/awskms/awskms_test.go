//go:build !small

package awskms_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/service/kms/awskms"
	"stoa.dev/stoa/internal/service/kms/provider"
)

const (
	accessKey = "AKIATESTTESTTEST"
	secretKey = "the secret access key of the test"
	session   = "the session token of the test"
	arn       = "arn:aws:kms:eu-central-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab"
	region    = "eu-central-1"
)

type credentials struct{ secret string }

func (c credentials) Retrieve(context.Context) (aws.Credentials, error) {
	if c.secret == "" {
		return aws.Credentials{}, errors.New("none")
	}
	return aws.Credentials{AccessKeyID: accessKey, SecretAccessKey: c.secret, SessionToken: session}, nil
}

// service is a strict stand-in: it computes every signature itself.
type service struct {
	t   *testing.T
	now *clock.Virtual

	mu        sync.Mutex
	materials []string
	state     string
	exception string // every answer, when set
	only      string // the operation the exception is for; empty means all
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	target, ok := strings.CutPrefix(r.Header.Get("X-Amz-Target"), "TrentService.")
	if r.Method != "POST" || r.URL.Path != "/" || !ok || r.Header.Get("Content-Type") != "application/x-amz-json-1.1" ||
		r.Header.Get("X-Amz-Security-Token") != session {
		s.t.Errorf("malformed request: %s %s %v", r.Method, r.URL, r.Header)
	}
	if want := s.signature(r, body); !strings.HasSuffix(r.Header.Get("Authorization"), "Signature="+want) {
		fault(w, "InvalidSignatureException", "the signature does not match")
		return
	}
	if s.exception != "" && (s.only == "" || s.only == target) {
		fault(w, s.exception, "as the test wants")
		return
	}
	s.operate(w, target, body)
}

// signature is AWS Signature Version 4 from the published description.
func (s *service) signature(r *http.Request, body []byte) string {
	_, list, _ := strings.Cut(r.Header.Get("Authorization"), "SignedHeaders=")
	list, _, _ = strings.Cut(list, ",")
	for _, must := range []string{"host", "x-amz-date", "x-amz-target", "content-type"} {
		if !strings.Contains(list, must) {
			s.t.Errorf("%s is not signed: %s", must, list)
		}
	}
	date := r.Header.Get("X-Amz-Date")
	if date != s.now.Now().UTC().Format("20060102T150405Z") {
		s.t.Errorf("X-Amz-Date = %s", date)
	}
	var headers strings.Builder
	for _, name := range strings.Split(list, ";") {
		value := r.Header.Get(name)
		switch name {
		case "host":
			value = r.Host
		case "content-length":
			value = fmt.Sprint(r.ContentLength)
		}
		fmt.Fprintf(&headers, "%s:%s\n", name, strings.TrimSpace(value))
	}
	canonical := strings.Join([]string{r.Method, "/", "", headers.String(), list, sum(body)}, "\n")
	scope := date[:8] + "/" + region + "/kms/aws4_request"
	text := strings.Join([]string{"AWS4-HMAC-SHA256", date, scope, sum([]byte(canonical))}, "\n")
	key := []byte("AWS4" + secretKey)
	for _, part := range []string{date[:8], region, "kms", "aws4_request"} {
		key = mac(key, part)
	}
	return hex.EncodeToString(mac(key, text))
}

func sum(b []byte) string {
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}

func mac(key []byte, text string) []byte {
	m := hmac.New(sha256.New, key)
	m.Write([]byte(text))
	return m.Sum(nil)
}

type request struct {
	KeyID              string `json:"KeyId"`
	Plaintext          []byte
	CiphertextBlob     []byte
	EncryptionContext  map[string]string
	IncludeKeyMaterial string
	Limit              int
}

func (s *service) operate(w http.ResponseWriter, target string, body []byte) {
	var in request
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil || in.KeyID != arn {
		s.t.Errorf("%s: %s: %v", target, body, err)
	}
	switch target {
	case "DescribeKey":
		answer(w, map[string]any{"KeyMetadata": map[string]any{
			"Arn": arn, "KeyState": s.state, "KeyUsage": "ENCRYPT_DECRYPT", "KeySpec": "SYMMETRIC_DEFAULT",
			"CurrentKeyMaterialId": s.materials[len(s.materials)-1],
		}})
	case "ListKeyRotations":
		var list []map[string]string
		for _, m := range s.materials {
			list = append(list, map[string]string{"KeyMaterialId": m})
		}
		answer(w, map[string]any{"Rotations": list})
	case "Encrypt":
		if len(in.Plaintext) != 32 || len(in.EncryptionContext) != 1 {
			s.t.Errorf("Encrypt: %s", body)
		}
		text, _ := json.Marshal(request{Plaintext: in.Plaintext, EncryptionContext: in.EncryptionContext})
		answer(w, map[string]any{"CiphertextBlob": text, "KeyId": arn})
	case "Decrypt":
		var sealed request
		if json.Unmarshal(in.CiphertextBlob, &sealed) != nil ||
			fmt.Sprint(sealed.EncryptionContext) != fmt.Sprint(in.EncryptionContext) {
			fault(w, "InvalidCiphertextException", "")
			return
		}
		answer(w, map[string]any{"Plaintext": sealed.Plaintext, "KeyId": arn})
	case "RotateKeyOnDemand":
		s.materials = append(s.materials, fmt.Sprintf("material-%d", len(s.materials)+1))
		answer(w, map[string]any{"KeyId": arn})
	default:
		s.t.Errorf("operation %q", target)
	}
}

func fault(w http.ResponseWriter, name, message string) {
	w.WriteHeader(http.StatusBadRequest)
	_ = json.NewEncoder(w).Encode(map[string]string{"__type": "com.amazonaws.kms#" + name, "message": message})
}

func answer(w http.ResponseWriter, v any) { _ = json.NewEncoder(w).Encode(v) }

func start(t *testing.T, secret string) (*service, *awskms.Key) {
	t.Helper()
	s := &service{
		t: t, materials: []string{"material-1"}, state: "Enabled", now: clock.NewVirtual(time.Unix(1_700_000_000, 0)),
	}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	c := awskms.Config{Key: arn, Region: region, Endpoint: server.URL}
	if err := c.Validate(); err != nil {
		t.Fatal(err)
	}
	k, err := awskms.New(c, s.now, credentials{secret}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(k.Close)
	return s, k
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	_, k := start(t, secretKey)
	secret := bytes.Repeat([]byte{7}, 32)
	wrapped, err := k.Wrap(t.Context(), "material-1", secret, []byte("id\x00"))
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Rotate(t.Context()); err != nil {
		t.Fatal(err)
	}
	got, err := k.Unwrap(t.Context(), "material-1", wrapped, []byte("id\x00"))
	if err != nil || !bytes.Equal(got, secret) {
		t.Errorf("Unwrap = %x, %v", got, err)
	}
	_, err = k.Unwrap(t.Context(), "material-1", wrapped, []byte("other"))
	if provider.KindOf(err) != provider.Refused {
		t.Errorf("another binding: %v, want refused", err)
	}
	versions, err := k.Versions(t.Context())
	if err != nil || len(versions) != 2 || versions[1].Name != "material-2" ||
		!strings.HasPrefix(versions[0].Stamp, arn) {
		t.Errorf("Versions = %v, %v", versions, err)
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	s, k := start(t, secretKey)
	for exception, want := range map[string]provider.Kind{
		"AccessDeniedException": provider.Denied, "ThrottlingException": provider.Throttled,
		"NotFoundException": provider.Disabled,
		"DisabledException": provider.Disabled, "KMSInvalidStateException": provider.Disabled,
		"ExpiredTokenException": provider.Unauthenticated,
		"KMSInternalException":  provider.Unavailable, "ValidationException": provider.Refused,
	} {
		s.exception = exception
		if _, err := k.Versions(t.Context()); provider.KindOf(err) != want {
			t.Errorf("%s: %v, want %s", exception, err, want)
		}
	}
	s.exception, s.only = "AccessDeniedException", "ListKeyRotations"
	if versions, err := k.Versions(t.Context()); err != nil || len(versions) != 1 {
		t.Errorf("without permission to list: %v, %v; want the current one", versions, err)
	}
	s.exception, s.state = "", "PendingDeletion"
	if _, err := k.Versions(t.Context()); provider.KindOf(err) != provider.Disabled {
		t.Errorf("pending deletion: %v, want disabled", err)
	}
	for name, secret := range map[string]string{"a wrong secret": "wrong", "none": ""} {
		_, k := start(t, secret)
		_, err := k.Versions(t.Context())
		if provider.KindOf(err) != provider.Unauthenticated || strings.Contains(err.Error(), session) {
			t.Errorf("%s: %v, want unauthenticated", name, err)
		}
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		config awskms.Config
		good   bool
	}{
		"an arn":      {awskms.Config{Key: arn, Region: region}, true},
		"an id":       {awskms.Config{Key: "1234abcd-12ab", Region: region}, true},
		"an alias":    {awskms.Config{Key: "alias/cluster", Region: region}, false},
		"no region":   {awskms.Config{Key: arn}, false},
		"plain http":  {awskms.Config{Key: arn, Region: region, Endpoint: "http://kms.example"}, false},
		"no key":      {awskms.Config{Region: region}, false},
		"alias's arn": {awskms.Config{Key: "arn:aws:kms:eu-central-1:1:alias/x", Region: region}, false},
	} {
		if err := row.config.Validate(); (err == nil) != row.good {
			t.Errorf("%s: %v, want good %v", name, err, row.good)
		}
	}
}
