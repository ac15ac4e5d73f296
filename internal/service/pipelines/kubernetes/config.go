package kubernetes

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"time"

	"stoa.dev/stoa/internal/service/pipelines/recipe"
)

// Config says which cluster runs jobs, and how.
type Config struct {
	// Kubeconfig is the file with the API server's address and a credential; empty means
	// the service account of the pod that the server runs in.
	Kubeconfig string `yaml:"kubeconfig"`
	// Context is the one of the file that is used; empty means its current one.
	Context string `yaml:"context"`
	// Namespace is where Jobs are made.
	Namespace string `yaml:"namespace"`
	// Image is for jobs that name none.
	Image string `yaml:"image"`
	// ServiceAccount is the account of the pods, whose token is not mounted; empty means
	// the default one.
	ServiceAccount string `yaml:"service_account"`
	// PullSecret names a secret of the namespace with which images are pulled; empty
	// means none.
	PullSecret string `yaml:"pull_secret"`
	// CPURequest and MemoryRequest are what the scheduler reserves for a node, as 500m or
	// 1Gi; empty reserves what pipelines.limits allow.
	CPURequest    string `yaml:"cpu_request"`
	MemoryRequest string `yaml:"memory_request"` // MemoryRequest is the memory that is reserved for a node, as 1Gi.
	// StartTimeout bounds how long a pod may wait for a machine and its image.
	StartTimeout time.Duration `yaml:"start_timeout"`
}

// DefaultConfig uses the account of the server's own pod.
func DefaultConfig() Config {
	return Config{Namespace: "default", Image: "debian:stable", StartTimeout: 10 * time.Minute}
}

// ImageOf is the image in which the steps of a job run.
func (c Config) ImageOf(j *recipe.Job) string {
	if len(j.Images) > 0 {
		return j.Images[0].Name
	}
	return c.Image
}

var (
	namePattern     = regexp.MustCompile(`^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$`)
	quantityPattern = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?(m|[kMGTPE]i?|Ki)?$`)
)

// Validate reports everything that makes no sense, all at once.
func (c Config) Validate() error {
	var bad []error
	refuse := func(format string, args ...any) {
		bad = append(bad, fmt.Errorf("pipelines.kubernetes."+format, args...))
	}
	if c.Kubeconfig != "" && !filepath.IsAbs(c.Kubeconfig) {
		refuse("kubeconfig: %q is not an absolute path", c.Kubeconfig)
	}
	if c.Kubeconfig == "" && c.Context != "" {
		refuse("context: %q is of a kubeconfig, and none is named", c.Context)
	}
	for _, row := range []struct {
		setting, value string
		needed         bool
	}{
		{"namespace", c.Namespace, true},
		{"service_account", c.ServiceAccount, false},
		{"pull_secret", c.PullSecret, false},
	} {
		if (row.needed || row.value != "") && !namePattern.MatchString(row.value) {
			refuse("%s: %q is not a name in a cluster", row.setting, row.value)
		}
	}
	if c.Image == "" {
		refuse("image must name the image of jobs that name none")
	}
	for setting, value := range map[string]string{"cpu_request": c.CPURequest, "memory_request": c.MemoryRequest} {
		if value != "" && !quantityPattern.MatchString(value) {
			refuse("%s: %q is not a quantity, write 500m or 1Gi", setting, value)
		}
	}
	if c.StartTimeout < time.Second {
		refuse("start_timeout must be at least 1s, not %s", c.StartTimeout)
	}
	return errors.Join(bad...)
}
