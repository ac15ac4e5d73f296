package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"stoa.dev/stoa/test/program"
)

// controlPlane is an etcd and an API server.
type controlPlane struct {
	*processes
	program string // kube-apiserver
	socket  string // of the key-management plugin

	api    *apiClient
	files  certificates
	etcd   string // its address
	server *exec.Cmd
	args   []string
}

func (c *controlPlane) start(ctx context.Context) error {
	if err := c.startEtcd(ctx); err != nil {
		return err
	}
	port, err := freePort()
	if err != nil {
		return err
	}
	files, err := makeCertificates(c.dir)
	if err != nil {
		return err
	}
	c.files = files
	token := rand.Text()
	tokens, err := c.write("tokens.csv", token+`,admin,admin,"system:masters"`+"\n")
	if err != nil {
		return err
	}
	encryption, err := c.encryption()
	if err != nil {
		return err
	}
	if c.api, err = newAPIClient(fmt.Sprintf("https://127.0.0.1:%d", port), token, files.authority); err != nil {
		return err
	}
	c.args = []string{
		"--etcd-servers=" + c.etcd, "--bind-address=127.0.0.1", fmt.Sprintf("--secure-port=%d", port),
		"--tls-cert-file=" + files.serving, "--tls-private-key-file=" + files.servingKey,
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + files.accountKey, "--service-account-signing-key-file=" + files.accountKey,
		"--token-auth-file=" + tokens, "--authorization-mode=Node,RBAC",
		// Nothing but this machine is to be advertised.
		"--service-cluster-ip-range=10.0.0.0/24", "--endpoint-reconciler-type=none",
		"--encryption-provider-config=" + encryption, "--encryption-provider-config-automatic-reload=true",
	}
	return c.startServer(ctx)
}

func (c *controlPlane) startEtcd(ctx context.Context) error {
	if _, err := exec.LookPath("etcd"); err != nil {
		return errors.New("install etcd (Debian's package etcd-server)")
	}
	port, err1 := freePort()
	peer, err2 := freePort()
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	c.etcd = fmt.Sprintf("http://127.0.0.1:%d", port)
	between := fmt.Sprintf("http://127.0.0.1:%d", peer)
	_, err := c.launch("etcd", "etcd", "--data-dir", filepath.Join(c.dir, "etcd"),
		"--listen-client-urls", c.etcd, "--advertise-client-urls", c.etcd, "--listen-peer-urls", between,
		"--initial-advertise-peer-urls", between, "--initial-cluster", "default="+between)
	if err != nil {
		return err
	}
	return await(ctx, time.Minute, "etcd", func() error {
		_, err := c.stored(ctx, secretsPrefix)
		return err
	})
}

// startServer waits until the API server says that it is ready.
func (c *controlPlane) startServer(ctx context.Context) (err error) {
	if c.server, err = c.launch("kube-apiserver", c.program, c.args...); err != nil {
		return err
	}
	return await(ctx, 3*time.Minute, "the API server", func() error {
		_, err := c.api.text(ctx, "/readyz")
		return err
	})
}

// restart kills the API server: the next one has no key in its memory.
func (c *controlPlane) restart(ctx context.Context) error {
	c.end(c.server)
	return c.startServer(ctx)
}

func (c *controlPlane) write(name, text string) (string, error) {
	path := filepath.Join(c.dir, name)
	return path, os.WriteFile(path, []byte(text), 0o600)
}

// encryption is the file that the documentation names, with the socket of this run.
func (c *controlPlane) encryption() (string, error) {
	root, err := program.Root()
	if err != nil {
		return "", err
	}
	content, err := os.ReadFile(filepath.Join(root, "examples/kubernetes/encryption-configuration.yaml"))
	if err != nil {
		return "", err
	}
	const endpoint = "endpoint: unix:///run/stoa/kms.sock"
	if strings.Count(string(content), endpoint) != 1 {
		return "", fmt.Errorf("encryption-configuration.yaml has no %q", endpoint)
	}
	return c.write("encryption-configuration.yaml",
		strings.Replace(string(content), endpoint, "endpoint: unix://"+c.socket, 1))
}

// versions are what the programs say of themselves.
func (c *controlPlane) versions(ctx context.Context) (string, error) {
	var server struct{ GitVersion string }
	if err := c.api.do(ctx, http.MethodGet, "/version", nil, &server); err != nil {
		return "", err
	}
	out, err := exec.CommandContext(ctx, "etcd", "--version").Output()
	first, _, _ := strings.Cut(string(out), "\n")
	return "kube-apiserver " + server.GitVersion + ", " + first, err
}
