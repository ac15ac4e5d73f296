package kubernetes

import (
	"crypto/tls"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// connection is how the API server is reached.
type connection struct {
	server *url.URL
	tls    *tls.Config
	// token is sent as it is; tokenFile is read for every call, because such tokens are
	// replaced while they are used.
	token, tokenFile string
}

// bearer is the token of the next call, empty where a certificate is enough.
func (c *connection) bearer() (string, error) {
	if c.tokenFile == "" {
		return c.token, nil
	}
	content, err := os.ReadFile(c.tokenFile)
	if err != nil {
		return "", fmt.Errorf("kubernetes: the token of the service account: %w", err)
	}
	return strings.TrimSpace(string(content)), nil
}

const (
	// accountFolder is where a pod finds its credential.
	accountFolder = "/var/run/secrets/kubernetes.io/serviceaccount"
	// ownServer is the API server's name in every cluster.
	ownServer = "https://kubernetes.default.svc"
)

// connect reads what the configuration names.
func connect(c Config) (*connection, error) {
	if c.Kubeconfig == "" {
		return connectAccount(accountFolder)
	}
	content, err := os.ReadFile(c.Kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("kubernetes: %w", err)
	}
	made, err := readKubeconfig(content, c.Context, filepath.Dir(c.Kubeconfig))
	if err != nil {
		return nil, fmt.Errorf("kubernetes: %s: %w", c.Kubeconfig, err)
	}
	return made, nil
}

// connectAccount uses the service account of the pod that this process runs in.
func connectAccount(folder string) (*connection, error) {
	authority, err := os.ReadFile(filepath.Join(folder, "ca.crt"))
	if err != nil {
		return nil, fmt.Errorf("kubernetes: there is no service account, name a file in "+
			"pipelines.kubernetes.kubeconfig: %w", err)
	}
	roots, err := pool(authority)
	if err != nil {
		return nil, err
	}
	server, err := url.Parse(ownServer)
	if err != nil {
		return nil, err
	}
	return &connection{server: server, tls: roots, tokenFile: filepath.Join(folder, "token")}, nil
}
