package forge

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"os/exec"
	"time"

	"stoa.dev/stoa/internal/forge/git"
	"stoa.dev/stoa/internal/forge/refusal"
	"stoa.dev/stoa/internal/forge/stalltimeout"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

// readBody copies the body of a request to disk, out of its compression. Nothing is
// started for a request before all of it is there.
func (f *Forge) readBody(
	w http.ResponseWriter, r *route.Request, service string, limit int64,
) (*git.TempFile, error) {
	if r.Header.Get("Content-Type") != "application/x-"+service+"-request" {
		return nil, wire.ErrMediaType
	}
	zipped := false
	switch r.Header.Get("Content-Encoding") {
	case "", "identity":
	case "gzip", "x-gzip":
		zipped = true
	default:
		return nil, wire.ErrMediaType
	}
	s, err := f.git.TempFile(r.Context(), r.Owner())
	if err != nil {
		return nil, err
	}
	body := stalltimeout.Body(w, r.Body)
	if zipped {
		z, err := gzip.NewReader(body)
		if err != nil {
			s.Close()
			return nil, refusal.Invalid("the body is not a gzip stream")
		}
		body = z
	}
	if err := s.Fill(body, limit); err != nil {
		s.Close()
		if errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, refusal.Invalid("the body ends too early, or is not a gzip stream")
		}
		return nil, err
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // the body is there
	return s, nil
}

// answer is what a program sends to a client.
type answer struct {
	service, contentType string
	// head precedes what the program prints.
	head string
	// command prepares the program.
	command func(ctx context.Context) *exec.Cmd
}

// stream runs a program in its slot and sends what it prints. The slot is free as
// soon as the program ends: what the client has not taken by then is on
// disk. begun reports whether anything was sent.
func (f *Forge) stream(w http.ResponseWriter, r *route.Request, s git.Slot, a answer) (begun bool, err error) {
	out, err := f.git.TempFile(r.Context(), r.Owner())
	if err != nil {
		s.Release()
		return false, err
	}
	out.Follows = true
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		err := git.Run(ctx, a.command(ctx), a.service, out)
		s.Release()
		out.Finish(err)
	}()
	begun, err = stalltimeout.Send(r.Context(), w, out.Next, func() error {
		noCache(w)
		w.Header().Set("Content-Type", a.contentType)
		_, err := io.WriteString(w, a.head)
		return err
	})
	if err != nil {
		out.Abandon(err)
		cancel()
	}
	<-ended
	out.Close()
	return begun, err
}

func noCache(w http.ResponseWriter) {
	w.Header().Set("Cache-Control", "no-cache, max-age=0, must-revalidate")
}
