package main

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/goccy/go-yaml"

	"stoa.dev/stoa/test/program"
)

// buildsNamespace is where jobs run.
const buildsNamespace = "builds"

// startControllers runs the controllers that Jobs need: those that make their pods, and
// those that delete what is left.
func (c *controlPlane) startControllers(program string) error {
	config, err := c.kubeconfig("controllers", c.api.token)
	if err != nil {
		return err
	}
	_, err = c.launch("kube-controller-manager", program, "--kubeconfig="+config, "--leader-elect=false",
		"--bind-address=127.0.0.1", "--secure-port=0", "--service-account-private-key-file="+c.files.accountKey,
		"--controllers=job-controller,garbage-collector-controller,ttl-after-finished-controller,serviceaccount-controller,"+
			"root-ca-certificate-publisher-controller")
	return err
}

// kubeconfig writes a file with a token.
func (c *controlPlane) kubeconfig(name, token string) (string, error) {
	return c.write(name+".kubeconfig", fmt.Sprintf(`apiVersion: v1
kind: Config
current-context: here
contexts: [{name: here, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: %q, certificate-authority-data: %s}}]
users: [{name: u, user: {token: %s}}]
`, c.api.url, base64.StdEncoding.EncodeToString(c.files.authority), token))
}

// account makes the account of the documentation's example, and a kubeconfig with a token of it.
func (c *controlPlane) account(ctx context.Context) (string, error) {
	err := c.api.do(ctx, http.MethodPost, "/api/v1/namespaces",
		map[string]any{"metadata": map[string]any{"name": buildsNamespace}}, nil)
	if err != nil {
		return "", err
	}
	root, err := program.Root()
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(filepath.Join(root, "examples/kubernetes/pipelines.yaml"))
	if err != nil {
		return "", err
	}
	for _, part := range strings.Split(string(text), "\n---\n") {
		if err := c.apply(ctx, []byte(part)); err != nil {
			return "", err
		}
	}
	var made struct{ Status struct{ Token string } }
	path := "/api/v1/namespaces/" + buildsNamespace + "/serviceaccounts/stoa/token"
	if err := c.api.do(ctx, http.MethodPost, path, map[string]any{}, &made); err != nil {
		return "", err
	}
	return c.kubeconfig("stoa", made.Status.Token)
}

// apply creates an object of the namespace.
func (c *controlPlane) apply(ctx context.Context, text []byte) error {
	var object map[string]any
	if err := yaml.Unmarshal(text, &object); err != nil {
		return err
	}
	group, version, ok := strings.Cut(fmt.Sprint(object["apiVersion"]), "/")
	path := "/apis/" + group + "/" + version
	if !ok {
		path = "/api/" + group
	}
	kind, ok := object["kind"].(string)
	if !ok {
		return errors.New("an object without a kind")
	}
	return c.api.do(ctx, http.MethodPost, path+"/namespaces/"+buildsNamespace+"/"+strings.ToLower(kind)+"s", object, nil)
}
