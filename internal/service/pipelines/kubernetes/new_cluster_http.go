package kubernetes

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/ids"
	"stoa.dev/stoa/internal/platform/outbound"
	"stoa.dev/stoa/internal/platform/sandbox"
)

// Cluster runs nodes of jobs. It is safe for concurrent use.
type Cluster struct {
	config      Config
	timeout     time.Duration
	api         *api
	clock       clock.Clock
	ids         *ids.Source
	home, share string
}

// Options are what a Cluster is built on.
type Options struct {
	Config Config
	// Timeout is how long a node may take at most.
	Timeout time.Duration
	Gate    *outbound.Gate
	Clock   clock.Clock
	// IDs draws the names of Jobs.
	IDs *ids.Source
	// Home and Share are folders in pods, by default /home/stoa and /run/stoa.
	Home, Share string
}

// New reads the credential; it calls nothing.
func New(o Options) (*Cluster, error) {
	to, err := connect(o.Config)
	if err != nil {
		return nil, err
	}
	c := &Cluster{
		config: o.Config, timeout: o.Timeout, api: newAPI(to, o.Gate, o.Clock), clock: o.Clock,
		ids: o.IDs, home: o.Home, share: o.Share,
	}
	if c.home == "" {
		c.home, c.share = sandbox.DefaultHome, "/run/stoa"
	}
	return c, nil
}

// Folders implements execute.Remote.
func (c *Cluster) Folders() (home, share string) { return c.home, c.share }

// Check asks the API server for the Jobs of the namespace, once.
func (c *Cluster) Check(ctx context.Context) error {
	return c.api.callOnce(ctx, http.MethodGet, c.jobs(), url.Values{"limit": {"1"}}, nil, nil)
}

func (c *Cluster) jobs() string { return "/apis/batch/v1/namespaces/" + c.config.Namespace + "/jobs" }

func podsPath(namespace string) string { return "/api/v1/namespaces/" + namespace + "/pods" }

func podPath(namespace, name string) string { return podsPath(namespace) + "/" + name }
