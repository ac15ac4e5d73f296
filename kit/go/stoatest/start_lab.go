package stoatest

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// theLab is found or started once in a process: tests share it, and have worlds of
// their own in it.
var theLab = sync.OnceValues(findLab)

// startTime is how long a lab may take to begin.
const startTime = time.Minute

func findLab() (*lab, error) {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
	if url := os.Getenv("STOA_LAB_URL"); url != "" {
		token := os.Getenv("STOA_LAB_TOKEN")
		if token == "" {
			return nil, errors.New("STOA_LAB_URL is set and STOA_LAB_TOKEN is not: stoa lab prints both")
		}
		return &lab{url: strings.TrimSuffix(url, "/"), token: token, http: client}, nil
	}
	binary := os.Getenv("STOA_BIN")
	if binary == "" {
		found, err := exec.LookPath("stoa")
		if err != nil {
			return nil, errors.New("no lab: set STOA_BIN to the program, put stoa into the path, " +
				"or set STOA_LAB_URL and STOA_LAB_TOKEN to a lab that runs")
		}
		binary = found
	}
	l, err := start(binary)
	if err != nil {
		return nil, fmt.Errorf("start %s lab: %w", binary, err)
	}
	l.http = client
	return l, nil
}

// start runs a lab that ends with this process: when the pipe that is its standard
// input closes, however that comes about.
func start(binary string) (*lab, error) {
	command := exec.Command(binary, "lab", "--ephemeral", "--listen", "127.0.0.1:0")
	if os.Getenv("GOGC") == "" {
		// A collector that runs less often starts the program faster; a lab of tests has little to collect.
		command.Env = append(os.Environ(), "GOGC=800")
	}
	var said tail
	command.Stderr = &said
	if _, err := command.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	ended := make(chan error, 1)
	ready := make(chan *lab, 1)
	go func() {
		if l := readAddress(out); l != nil {
			ready <- l
		}
		ended <- command.Wait()
	}()
	ctx, cancel := context.WithTimeout(context.Background(), startTime)
	defer cancel()
	select {
	case l := <-ready:
		return l, nil
	case err := <-ended:
		return nil, fmt.Errorf("it ended: %w\n%s", err, said.text())
	case <-ctx.Done():
		return nil, errors.Join(fmt.Errorf("it was not ready after %s\n%s", startTime, said.text()), command.Process.Kill())
	}
}

// readAddress reads "lab URL token TOKEN" and waits for "ready".
func readAddress(out io.Reader) *lab {
	var l *lab
	for lines := bufio.NewScanner(out); lines.Scan(); {
		words := strings.Fields(lines.Text())
		switch {
		case len(words) == 4 && words[0] == "lab" && words[2] == "token":
			l = &lab{url: words[1], token: words[3]}
		case len(words) > 0 && words[0] == "ready":
			go func() { _, _ = io.Copy(io.Discard, out) }()
			return l
		}
	}
	return nil
}

// tail keeps the end of what a lab writes to standard error.
type tail struct {
	mu   sync.Mutex
	kept bytes.Buffer
}

const maxTail = 8 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept.Write(p)
	t.kept.Next(max(0, t.kept.Len()-maxTail))
	return len(p), nil
}

func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.kept.String()
}
