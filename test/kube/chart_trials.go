package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"stoa.dev/stoa/test/program"
)

// chartTrial installs the chart, and what examples/kubernetes has for a cluster, by helm
// into the API server. Nothing schedules its pods: what is tried is that the server knows
// every field and takes every object.
type chartTrial struct {
	plane      *controlPlane
	helm, root string
	config     string // kubeconfig
}

// chartNamespace is where the chart is installed.
const chartNamespace = "porch"

func tryChart(ctx context.Context, c *controlPlane) error {
	root, err := program.Root()
	if err != nil {
		return err
	}
	t := &chartTrial{plane: c, root: root}
	if t.helm, err = buildHelm(ctx, root); err != nil {
		return err
	}
	if t.config, err = c.writeKubeconfig(); err != nil {
		return err
	}
	for _, step := range []func(context.Context) error{t.install, t.upgrade, t.ingress, t.uninstall, t.examples} {
		if err := step(ctx); err != nil {
			return fmt.Errorf("chart: %w", err)
		}
	}
	return nil
}

// buildHelm compiles the program of the module that lints the chart.
func buildHelm(ctx context.Context, root string) (string, error) {
	began := time.Now()
	fmt.Println("building helm; the first time takes some minutes")
	binary := filepath.Join(root, ".cache", "kube", "helm")
	cmd := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-trimpath", "-o", binary,
		"helm.sh/helm/v3/cmd/helm")
	cmd.Dir, cmd.Env = filepath.Join(root, "packaging", "helm", "render"), append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build helm: %w\n%s", err, out)
	}
	fmt.Printf("built helm in %s\n", time.Since(began).Round(time.Second))
	return binary, nil
}

// writeKubeconfig lets a client of the cluster in as its administrator.
func (c *controlPlane) writeKubeconfig() (string, error) {
	text, err := json.Marshal(map[string]any{
		"apiVersion": "v1", "kind": "Config", "current-context": "check",
		"clusters": []any{map[string]any{"name": "check", "cluster": map[string]any{
			"server": c.api.url, "certificate-authority-data": c.files.authority,
		}}},
		"users":    []any{map[string]any{"name": "admin", "user": map[string]any{"token": c.api.token}}},
		"contexts": []any{map[string]any{"name": "check", "context": map[string]any{"cluster": "check", "user": "admin"}}},
	})
	if err != nil {
		return "", err
	}
	return c.write("kubeconfig", string(text))
}

// run is one command of helm. Its own folders are those of the run.
func (t *chartTrial) run(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, t.helm, append([]string{"--kubeconfig", t.config}, args...)...)
	cmd.Env = append(os.Environ(), "HELM_CACHE_HOME="+filepath.Join(t.plane.dir, "helm"),
		"HELM_CONFIG_HOME="+filepath.Join(t.plane.dir, "helm"), "HELM_DATA_HOME="+filepath.Join(t.plane.dir, "helm"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("helm %s: %w\n%s", args[0], err, out)
	}
	return string(out), nil
}

func (t *chartTrial) chart() string { return filepath.Join(t.root, "packaging", "helm", "stoa") }

// required are the values that the chart refuses to be installed without.
func required() []string {
	return []string{
		"--set", "blob.endpoint=https://s3.example.net,blob.existingSecret=bucket", "--set", "rootKey.existingSecret=root",
		"--set", "admin.existingSecret=first,postgresql.password=0123456789abcdefXYZ",
	}
}

func (t *chartTrial) install(ctx context.Context) error {
	args := []string{"install", "stoa", t.chart(), "--namespace", chartNamespace, "--create-namespace"}
	args = append(args, required()...)
	if _, err := t.run(ctx, args...); err != nil {
		return err
	}
	fmt.Println("chart installed: its database, two replicas; the server took all objects")
	return t.replicas(ctx, 2)
}

func (t *chartTrial) upgrade(ctx context.Context) error {
	args := []string{"upgrade", "stoa", t.chart(), "--namespace", chartNamespace, "--set", "replicas=3"}
	args = append(args, required()...)
	if _, err := t.run(ctx, args...); err != nil {
		return err
	}
	fmt.Println("chart upgraded: three replicas")
	return t.replicas(ctx, 3)
}

// ingress is the other form: an outside database, one replica and an Ingress.
func (t *chartTrial) ingress(ctx context.Context) error {
	_, err := t.run(ctx, "upgrade", "stoa", t.chart(), "--namespace", chartNamespace, "--reset-values",
		"--set", "replicas=1,database.existingSecret=db,rootKey.existingSecret=root,admin.existingSecret=first",
		"--set", "ingress.enabled=true,ingress.tlsSecret=tls")
	if err != nil {
		return err
	}
	fmt.Println("chart upgraded: an outside database and an Ingress")
	return errors.Join(t.replicas(ctx, 1),
		t.exists(ctx, "/apis/networking.k8s.io/v1/namespaces/"+chartNamespace+"/ingresses/stoa"))
}

func (t *chartTrial) uninstall(ctx context.Context) error {
	if _, err := t.run(ctx, "uninstall", "stoa", "--namespace", chartNamespace); err != nil {
		return err
	}
	fmt.Println("chart uninstalled")
	if err := t.exists(ctx, t.deployment()); err == nil {
		return errors.New("the deployment is still there after it was uninstalled")
	}
	return nil
}

// examples installs the files for kubectl as a chart of their own, which is held against
// the server's schema in the same way.
func (t *chartTrial) examples(ctx context.Context) error {
	folder := filepath.Join(t.plane.dir, "examples")
	if err := os.MkdirAll(filepath.Join(folder, "templates"), 0o700); err != nil {
		return err
	}
	about := "apiVersion: v2\nname: examples\nversion: 1.0.0\n"
	if err := os.WriteFile(filepath.Join(folder, "Chart.yaml"), []byte(about), 0o600); err != nil {
		return err
	}
	names := []string{"lab.yaml", "pipelines.yaml"}
	for _, name := range names {
		from, to := filepath.Join(t.root, "examples", "kubernetes", name), filepath.Join(folder, "templates", name)
		if err := copyText(from, to); err != nil {
			return err
		}
	}
	if _, err := t.run(ctx, "install", "examples", folder, "--namespace", "builds", "--create-namespace"); err != nil {
		return err
	}
	fmt.Println("examples/kubernetes applied:", strings.Join(names, ", "))
	return nil
}

func copyText(from, to string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, text, fs.FileMode(0o600))
}

func (t *chartTrial) deployment() string {
	return "/apis/apps/v1/namespaces/" + chartNamespace + "/deployments/stoa"
}

func (t *chartTrial) replicas(ctx context.Context, want int) error {
	var found struct{ Spec struct{ Replicas int } }
	err := t.plane.api.do(ctx, http.MethodGet, t.deployment(), nil, &found)
	if err == nil && found.Spec.Replicas != want {
		err = fmt.Errorf("the deployment has %d replicas, want %d", found.Spec.Replicas, want)
	}
	return err
}

func (t *chartTrial) exists(ctx context.Context, path string) error {
	return t.plane.api.do(ctx, http.MethodGet, path, nil, nil)
}
