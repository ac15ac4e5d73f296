package main

import (
	"archive/tar"
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// imageConfig is what a container is started with.
type imageConfig struct {
	Config struct {
		Env             []string
		Entrypoint, Cmd []string
	}
}

// image unpacks the layers of this system's image and serves from them as their only root, under bubblewrap.
func (t trial) image() (string, error) {
	for _, system := range t.targets {
		if system.os != "linux" || !system.here() {
			continue
		}
		text, err := t.read(fmt.Sprintf("stoa_%s_image_%s.tar", t.version, system.arch))
		if err != nil {
			return "", err
		}
		return runImage(text)
	}
	return "not looked at: there is none for this system", nil
}

func runImage(text []byte) (said string, err error) {
	if _, err := exec.LookPath("bwrap"); err != nil {
		return "", errors.New("install bubblewrap")
	}
	root, err := os.MkdirTemp("", "stoa-image-")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(root)) }()
	config, err := layers(text, root)
	if err != nil {
		return "", err
	}
	// As nobody in particular, who may write to the volume alone; the network is the machine's, for the request.
	args := []string{
		"--ro-bind", root, "/", "--bind", filepath.Join(root, "data"), "/data", "--dev", "/dev", "--proc", "/proc",
		"--unshare-user", "--unshare-pid", "--unshare-ipc", "--uid", fmt.Sprint(imageUser), "--gid", fmt.Sprint(imageUser),
		"--die-with-parent", "--clearenv",
	}
	for _, entry := range append(config.Config.Env, "STOA_LISTEN_HTTP=127.0.0.1:0") {
		name, value, _ := strings.Cut(entry, "=")
		args = append(args, "--setenv", name, value)
	}
	args = append(append(args, config.Config.Entrypoint...), config.Config.Cmd...)
	c := exec.Command("bwrap", args...)
	var log bytes.Buffer
	c.Stderr = &log
	out, err := c.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := c.Start(); err != nil {
		return "", err
	}
	failed := answers(out)
	if err := errors.Join(failed, stop(c)); err != nil {
		return "", fmt.Errorf("%w: %s", err, log.String())
	}
	return "served from its own root under bubblewrap, as " + fmt.Sprint(imageUser), nil
}

// layers unpacks what the index of a layout leads to.
func layers(text []byte, root string) (config imageConfig, err error) {
	blobs := map[string][]byte{}
	for in := tar.NewReader(bytes.NewReader(text)); ; {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return config, err
		}
		if blobs[h.Name], err = io.ReadAll(in); err != nil {
			return config, err
		}
	}
	blob := func(d descriptor) []byte { return blobs["blobs/sha256/"+strings.TrimPrefix(d.Digest, "sha256:")] }
	var index struct{ Manifests []descriptor }
	var manifest struct {
		Config descriptor
		Layers []descriptor
	}
	if err := json.Unmarshal(blobs["index.json"], &index); err != nil || len(index.Manifests) != 1 {
		return config, fmt.Errorf("%d manifests: %w", len(index.Manifests), err)
	}
	if err := json.Unmarshal(blob(index.Manifests[0]), &manifest); err != nil {
		return config, err
	}
	if err := json.Unmarshal(blob(manifest.Config), &config); err != nil {
		return config, err
	}
	for _, layer := range manifest.Layers {
		if err := untarInto(blob(layer), root); err != nil {
			return config, err
		}
	}
	// Bubblewrap mounts on folders that are there.
	for _, name := range []string{"dev", "proc"} {
		err = errors.Join(err, os.MkdirAll(filepath.Join(root, name), 0o755))
	}
	return config, err
}

// answers waits for the ready line and asks for the health.
func answers(out io.Reader) error {
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if url, ok := strings.CutPrefix(lines.Text(), "ready "); ok {
			go func() { _, _ = io.Copy(io.Discard, out) }() // until the end
			client := http.Client{Timeout: 10 * time.Second}
			response, err := client.Get(url + "/readyz")
			if err != nil {
				return err
			}
			defer func() { _ = response.Body.Close() }() // nothing is read
			if response.StatusCode != http.StatusOK {
				return fmt.Errorf("/readyz answers %s", response.Status)
			}
			return nil
		}
	}
	return errors.New("it did not become ready")
}

// stop ends bubblewrap, and the server with it.
func stop(c *exec.Cmd) error {
	if err := c.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	_ = c.Wait() // ended by the signal
	return nil
}
