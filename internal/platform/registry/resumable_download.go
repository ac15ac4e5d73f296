package registry

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
)

// ErrHash means that the file is not the one that was asked for.
var ErrHash = errors.New("registry: the file does not have the expected hash")

// silence is how long a download may pause before the connection is given up.
const silence = 30 * time.Second

// Download is a file to fetch onto disk.
type Download struct {
	URL string
	// Path is where the file goes. What has arrived so far is kept beside it
	// and continued by the next call, in this process or another.
	Path string
	// Size and SHA256 (hexadecimal) are known beforehand; nothing else is kept.
	Size   int64
	SHA256 string
	// Progress is called now and then; it may be nil.
	Progress func(done, total int64)
}

// Download fetches a file, going on where an earlier try broke off, and puts it
// into place once its hash is right. Tries that bring something are not
// counted, so that a poor line gets there, too.
func (c *Client) Download(ctx context.Context, d Download) error {
	u, err := url.Parse(d.URL)
	if err != nil || u.Host == "" {
		return &NetworkError{cause: errors.New("the address is not a URL")}
	}
	part, err := openPart(d)
	if err != nil {
		return err
	}
	defer part.close()
	for failures := 0; part.have < d.Size && ctx.Err() == nil; {
		before := part.have
		err := c.fetch(ctx, u, part)
		if _, again := retry(err, 0); err == nil || again && part.have > before {
			failures = 0
			continue
		}
		failures++
		pause, again := retry(err, firstBackoff<<min(failures, 5))
		if !again || failures >= c.o.Attempts || ctx.Err() != nil {
			return err
		}
		if clock.Sleep(ctx, c.o.Clock, pause) != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return part.settle()
}

// part is a file that is still arriving.
type part struct {
	d    Download
	path string
	file *os.File
	have int64
	sum  hash.Hash
	// failed is why the disk did not take what arrived.
	failed error
}

func openPart(d Download) (*part, error) {
	p := &part{d: d, path: d.Path + ".part", sum: sha256.New()}
	var err error
	if p.file, err = os.OpenFile(p.path, os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return nil, fmt.Errorf("download: %w", err)
	}
	// The hash of what is there already is needed anyway.
	if p.have, err = io.Copy(p.sum, p.file); err == nil && p.have > d.Size {
		err = p.restart()
	}
	if err != nil {
		p.close()
		return nil, fmt.Errorf("download: %w", err)
	}
	return p, nil
}

// restart forgets what has arrived.
func (p *part) restart() error {
	p.have = 0
	p.sum.Reset()
	if err := p.file.Truncate(0); err != nil {
		return err
	}
	_, err := p.file.Seek(0, io.SeekStart)
	return err
}

func (p *part) Write(b []byte) (int, error) {
	if p.have+int64(len(b)) > p.d.Size {
		return 0, ErrTooLarge
	}
	n, err := p.file.Write(b)
	p.failed = err
	p.sum.Write(b[:n])
	p.have += int64(n)
	if p.d.Progress != nil {
		p.d.Progress(p.have, p.d.Size)
	}
	return n, err
}

// settle puts a whole file into its place. One with a wrong hash is removed:
// nothing can be continued from it.
func (p *part) settle() error {
	if got := hex.EncodeToString(p.sum.Sum(nil)); got != p.d.SHA256 {
		return errors.Join(fmt.Errorf("%w: it is %s, not %s", ErrHash, got, p.d.SHA256), os.Remove(p.path))
	}
	if err := p.file.Sync(); err != nil {
		return fmt.Errorf("download: %w", err)
	}
	return os.Rename(p.path, p.d.Path)
}

func (p *part) close() { _ = p.file.Close() } // settle has synced what counts

// fetch asks for the rest of a file.
func (c *Client) fetch(parent context.Context, u *url.URL, p *part) error {
	ctx, cancel := context.WithCancel(parent)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return &NetworkError{Host: u.Host, cause: err}
	}
	c.setHeaders(req, Request{})
	if p.have > 0 {
		req.Header.Set("Range", "bytes="+strconv.FormatInt(p.have, 10)+"-")
	}
	res, err := c.http.Do(req)
	if err != nil {
		return &NetworkError{Host: u.Host, cause: err}
	}
	defer func() { _ = res.Body.Close() }() // read, or not needed
	switch {
	case res.StatusCode == http.StatusPartialContent &&
		strings.HasPrefix(res.Header.Get("Content-Range"), "bytes "+strconv.FormatInt(p.have, 10)+"-"):
	case res.StatusCode == http.StatusOK || res.StatusCode == http.StatusPartialContent ||
		res.StatusCode == http.StatusRequestedRangeNotSatisfiable:
		// It does not know ranges, or not this one.
		if err := p.restart(); err != nil {
			return fmt.Errorf("download: %w", err)
		}
		if res.StatusCode != http.StatusOK {
			return &NetworkError{Host: u.Host, cause: errors.New("it sent another range than was asked for")}
		}
	default:
		return statusError(res, u.Host)
	}
	_, err = io.Copy(p, &stallReader{r: res.Body, clock: c.o.Clock, cancel: cancel})
	switch {
	case errors.Is(err, ErrTooLarge):
		return err
	case p.failed != nil:
		return fmt.Errorf("download: %w", p.failed)
	case err != nil:
		return &NetworkError{Host: u.Host, cause: err}
	case p.have < p.d.Size:
		return &NetworkError{Host: u.Host, cause: io.ErrUnexpectedEOF}
	}
	return nil
}

// stallReader ends a read that brings nothing for too long.
type stallReader struct {
	r      io.Reader
	clock  clock.Clock
	cancel context.CancelFunc
}

func (i *stallReader) Read(b []byte) (int, error) {
	timer := i.clock.NewTimer(silence)
	done := make(chan struct{})
	watching := make(chan struct{})
	go func() {
		defer close(watching)
		select {
		case <-timer.C:
			i.cancel()
		case <-done:
		}
	}()
	n, err := i.r.Read(b)
	close(done)
	timer.Stop()
	<-watching
	return n, err
}
