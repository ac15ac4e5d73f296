package apicheck

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	api "k8s.io/kms/apis/v2"
)

// Finding is one step and what came of it.
type Finding struct {
	Step string `json:"step"`
	Good bool   `json:"good"`
	Text string `json:"text"`
}

// Report is everything that was looked at.
type Report struct {
	Endpoint string    `json:"endpoint"`
	KeyID    string    `json:"key_id,omitempty"`
	Findings []Finding `json:"findings"`
}

// Good reports whether the API server would take the plugin.
func (r *Report) Good() bool {
	for _, f := range r.Findings {
		if !f.Good {
			return false
		}
	}
	return true
}

func (r *Report) note(step string, good bool, format string, args ...any) bool {
	r.Findings = append(r.Findings, Finding{Step: step, Good: good, Text: fmt.Sprintf(format, args...)})
	return good
}

// check is one run.
type check struct {
	report  *Report
	client  api.KeyManagementServiceClient
	timeout time.Duration
	now     func() time.Time
	seed    []byte
}

// Options are what a run needs. Seed is the secret that is encrypted, 32 bytes as
// those of the API server.
type Options struct {
	Socket  string
	Timeout time.Duration
	Now     func() time.Time
	Seed    []byte
}

// Run examines the plugin. What is wrong with the plugin is in the report; an error
// means that the run itself could not be made.
func Run(ctx context.Context, o Options) (*Report, error) {
	path := strings.TrimPrefix(o.Socket, "unix://")
	r := &Report{Endpoint: "unix://" + path}
	if !r.checkFile(path) {
		return r, nil
	}
	conn, err := grpc.NewClient("unix:"+path, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return r, err
	}
	defer func() { _ = conn.Close() }() // everything was answered
	c := &check{
		report: r, client: api.NewKeyManagementServiceClient(conn), timeout: o.Timeout, now: o.Now, seed: o.Seed,
	}
	if c.status(ctx) {
		c.roundTrip(ctx)
	}
	return r, nil
}

// checkFile looks at the socket before it is opened.
func (r *Report) checkFile(path string) bool {
	const step = "socket"
	if !filepath.IsAbs(path) {
		return r.note(step, false, "%s is not an absolute path; the API server takes unix:///PATH only", path)
	}
	info, err := os.Stat(path)
	if err != nil {
		return r.note(step, false, "%v; is the server running with --kms-socket?", err)
	}
	if info.Mode()&fs.ModeSocket == 0 {
		return r.note(step, false, "%s is not a socket", path)
	}
	perm := info.Mode().Perm()
	if perm&0o007 != 0 {
		return r.note(step, false, "mode %04o: every user of the machine may decrypt", perm)
	}
	return r.note(step, true, "mode %04o; the API server must run as its owner%s", perm, groupWords(perm))
}

func groupWords(perm fs.FileMode) string {
	if perm&0o060 == 0o060 {
		return " or in its group"
	}
	return ""
}

// call bounds one call and measures it.
func (c *check) call(ctx context.Context, step string, do func(context.Context) error) bool {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	begin := c.now()
	err := do(ctx)
	if err != nil {
		s := status.Convert(err)
		return c.report.note(step, false, "%s: %s", s.Code(), s.Message())
	}
	took := c.now().Sub(begin)
	// The API server gives up at its timeout; half of it leaves nothing for load.
	return c.report.note(step, took <= c.timeout/2, "answered in %s of %s", took.Round(time.Microsecond), c.timeout)
}

func (c *check) status(ctx context.Context) bool {
	var got *api.StatusResponse
	answered := c.call(ctx, "Status", func(ctx context.Context) (err error) {
		got, err = c.client.Status(ctx, &api.StatusRequest{})
		return err
	})
	if !answered {
		return false
	}
	r := c.report
	r.KeyID = got.GetKeyId()
	version := got.GetVersion() == "v2" || got.GetVersion() == "v2beta1"
	r.note("version", version, "version is %q, the API server takes v2 and v2beta1", got.GetVersion())
	r.note("healthz", got.GetHealthz() == "ok", "healthz is %q, the API server takes ok", got.GetHealthz())
	return r.checkKeyID("key_id of Status", got.GetKeyId())
}

// The bounds of the API server, in bytes.
const (
	maxKeyID       = 1024
	maxCiphertext  = 1024
	maxAnnotations = 32 * 1024
)

func (r *Report) checkKeyID(step, id string) bool {
	return r.note(step, id != "" && len(id) <= maxKeyID, "%q has %d bytes, 1 to %d are taken", id, len(id), maxKeyID)
}

// uid is what the API server would draw for each call; it is for logs only.
const uid = "stoa-kms-check"

func (c *check) roundTrip(ctx context.Context) {
	var sealed *api.EncryptResponse
	if !c.call(ctx, "Encrypt", func(ctx context.Context) (err error) {
		sealed, err = c.client.Encrypt(ctx, &api.EncryptRequest{Plaintext: c.seed, Uid: uid})
		return err
	}) {
		return
	}
	r, n := c.report, len(sealed.GetCiphertext())
	r.note("ciphertext", n > 0 && n <= maxCiphertext && !bytes.Contains(sealed.GetCiphertext(), c.seed),
		"%d bytes, 1 to %d are taken, and none of the seed's", n, maxCiphertext)
	r.note("key_id of Encrypt", sealed.GetKeyId() == r.KeyID, "%q, Status said %q", sealed.GetKeyId(), r.KeyID)
	r.checkAnnotations(sealed.GetAnnotations())
	var opened *api.DecryptResponse
	if c.call(ctx, "Decrypt", func(ctx context.Context) (err error) {
		opened, err = c.client.Decrypt(ctx, &api.DecryptRequest{
			Ciphertext: sealed.GetCiphertext(), KeyId: sealed.GetKeyId(), Annotations: sealed.GetAnnotations(), Uid: uid,
		})
		return err
	}) {
		same := bytes.Equal(opened.GetPlaintext(), c.seed)
		r.note("plaintext", same, "what was encrypted came back: %t", same)
	}
}

// checkAnnotations: every key is a domain name, and all together are small.
func (r *Report) checkAnnotations(annotations map[string][]byte) {
	size, wrong := 0, ""
	for name, value := range annotations {
		size += len(name) + len(value)
		if !domainName(name) {
			wrong = name
		}
	}
	if wrong != "" {
		r.note("annotations", false, "the key %q is not a domain name", wrong)
		return
	}
	r.note("annotations", size <= maxAnnotations, "%d bytes in all, at most %d are taken", size, maxAnnotations)
}

// maxDomain is the length of a name of RFC 1123.
const maxDomain = 253

// domainName reports whether the text is a name of at least two labels of lower
// case letters, digits and hyphens.
func domainName(name string) bool {
	labels := strings.Split(name, ".")
	if len(labels) < 2 || len(name) > maxDomain {
		return false
	}
	for _, label := range labels {
		if label == "" || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" ||
			strings.HasPrefix(label, "-") || strings.HasSuffix(label, "-") {
			return false
		}
	}
	return true
}
