package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"

	"stoa.dev/stoa/test/program"
)

// bucketStore is an S3 server that can die and come back with what it holds.
type bucketStore interface {
	address() string // host and port
	kill()
	back() error
}

const (
	bucketName   = "stoa"
	bucketKey    = "cluster"
	bucketSecret = "cluster-secret"
)

// gateway is versitygw on a folder.
type gateway struct {
	c      *cluster
	daemon daemon
	listen string
	folder string
}

// startGateway starts versitygw, which tools/setup.sh builds.
func startGateway(ctx context.Context, c *cluster) (*gateway, error) {
	root, err := program.Root()
	if err != nil {
		return nil, err
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	g := &gateway{c: c, listen: fmt.Sprintf("127.0.0.1:%d", port), folder: filepath.Join(c.dir, "s3")}
	// What is kept of an object beside its bytes lies in a folder of its own: not every file
	// system has extended attributes.
	notes := filepath.Join(c.dir, "notes")
	for _, dir := range []string{notes, g.folder, filepath.Join(g.folder, bucketName)} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return nil, err
		}
	}
	g.daemon = daemon{
		name: "versitygw", command: filepath.Join(root, ".cache", "tools", "versitygw"),
		args: []string{
			"--port", g.listen, "--access", bucketKey, "--secret", bucketSecret, "--quiet",
			"posix", "--sidecar", notes, g.folder,
		},
	}
	if err := g.back(); err != nil {
		return nil, err
	}
	return g, c.await(ctx, 20*time.Second, "versitygw", func() bool { return answers(g.listen) })
}

func answers(address string) bool {
	conn, err := net.DialTimeout("tcp", address, time.Second)
	if err != nil {
		return false
	}
	return conn.Close() == nil
}

func (g *gateway) address() string { return g.listen }

func (g *gateway) kill() { g.daemon.kill() }

func (g *gateway) back() error {
	if _, err := os.Stat(g.daemon.command); err != nil {
		return errors.Join(errors.New("tools/setup.sh cluster builds versitygw"), err)
	}
	return g.c.launch(&g.daemon)
}
