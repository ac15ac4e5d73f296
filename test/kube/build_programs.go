package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"stoa.dev/stoa/test/program"
)

// buildKubernetes compiles a program of k8s.io/kubernetes into .cache/kube; the go
// command does nothing when it is current.
func buildKubernetes(ctx context.Context, name string) (string, error) {
	root, err := program.Root()
	if err != nil {
		return "", err
	}
	module := filepath.Join(root, "test", "kube", "programs")
	version, err := kubernetesVersion(ctx, module)
	if err != nil {
		return "", err
	}
	binary := filepath.Join(root, ".cache", "kube", name)
	began := time.Now()
	fmt.Printf("building %s %s; the first time takes many minutes\n", name, version)
	cmd := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-trimpath", "-ldflags", stamp(version),
		"-o", binary, "k8s.io/kubernetes/cmd/"+name)
	cmd.Dir, cmd.Env = module, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build %s: %w\n%s", name, err, out)
	}
	fmt.Printf("built %s in %s\n", name, time.Since(began).Round(time.Second))
	return binary, nil
}

// kubernetesVersion is the one that go.mod of the folder names.
func kubernetesVersion(ctx context.Context, module string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Version}}", "k8s.io/kubernetes")
	cmd.Dir = module
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go list -m k8s.io/kubernetes: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// stamp gives the program its version, by which it chooses its features.
func stamp(version string) string {
	const place = "k8s.io/component-base/version."
	parts := strings.Split(strings.TrimPrefix(version, "v"), ".")
	return fmt.Sprintf("-s -w -X %[1]sgitVersion=%[2]s -X %[1]sgitMajor=%[3]s -X %[1]sgitMinor=%[4]s",
		place, version, parts[0], parts[1])
}
