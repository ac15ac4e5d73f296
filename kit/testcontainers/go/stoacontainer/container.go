package stoacontainer

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"

	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/wait"
)

// Version is that of the program which this package was made for.
const Version = "1.0.0"

const port = "8080/tcp"

// Container is a lab that runs. Worlds are reached below its one published port.
type Container struct {
	testcontainers.Container
	// URL and Token are those of the control API.
	URL, Token string
}

// Run starts a container of the image, whose program is stoa, and waits until the lab
// is ready.
func Run(ctx context.Context, image string, options ...testcontainers.ContainerCustomizer) (*Container, error) {
	c := &Container{Token: rand.Text()}
	own := []testcontainers.ContainerCustomizer{
		testcontainers.WithExposedPorts(port),
		testcontainers.WithCmd("lab", "--listen", "0.0.0.0:8080", "--data", "/data"),
		testcontainers.WithEnv(map[string]string{"STOA_LAB_TOKEN": c.Token}),
		testcontainers.WithWaitStrategy(wait.ForHTTP("/readyz").WithPort(port)),
	}
	started, err := testcontainers.Run(ctx, image, append(own, options...)...)
	if started != nil {
		c.Container = started
	}
	if err == nil {
		c.URL, err = started.PortEndpoint(ctx, port, "http")
	}
	if err != nil {
		if started != nil {
			err = errors.Join(err, testcontainers.TerminateContainer(started))
		}
		return nil, fmt.Errorf("start a lab of %s: %w", image, err)
	}
	return c, nil
}

// Env are the variables by which kits and commands find the lab.
func (c *Container) Env() map[string]string {
	return map[string]string{"STOA_LAB_URL": c.URL, "STOA_LAB_TOKEN": c.Token}
}

// Export sets them for this process and what it starts.
func (c *Container) Export() error {
	var failed []error
	for name, value := range c.Env() {
		failed = append(failed, os.Setenv(name, value))
	}
	return errors.Join(failed...)
}
