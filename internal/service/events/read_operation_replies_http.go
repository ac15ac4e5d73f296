package events

import (
	"net/http"
	"time"

	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

// readTimeout is longer than that of other operations: some wait for git.
const readTimeout = 30 * time.Second

// reply is what an operation that reads answers: a JSON value, raw bytes, or
// nothing (204).
type reply struct {
	body any
	raw  []byte
	// media is the media type of raw, file the name that it is kept under, if it is to be kept.
	media, file string

	link  string
	empty bool
}

// reader is an operation that reads.
type reader func(r *route.Request) (reply, error)

// reads is the route of an operation that reads. Its answers have an entity tag, and
// as with feeds a 304 is not counted.
func (s *Service) reads(pattern, name string, access route.Access, read reader) route.Route {
	return route.Route{
		Method: "GET", Pattern: pattern, Name: name, Access: access, Timeout: readTimeout,
		Tags: map[string]string{tagLimit: conditional},
		Handle: func(w http.ResponseWriter, r *route.Request) error {
			return s.serveReply(w, r, read)
		},
	}
}

// largeReply is the most memory that an operation on content takes: the bytes of git's
// answer, what is read of them, and the answer.
const largeReply = 24 << 20

// readsLarge is reads for operations on content, whose answers share the memory that
// there is.
func (s *Service) readsLarge(pattern, name string, read reader) route.Route {
	out := s.reads(pattern, name, route.Optional, read)
	serve := out.Handle
	out.Handle = func(w http.ResponseWriter, r *route.Request) error {
		memory, err := s.world.Memory.Take(r.Context(), r.Owner(), largeReply)
		if err != nil {
			return s.charge(w, r, err)
		}
		defer memory.Release()
		return serve(w, r)
	}
	return out
}

func (s *Service) serveReply(w http.ResponseWriter, r *route.Request, read reader) error {
	out, err := read(r)
	if err != nil {
		return s.charge(w, r, err)
	}
	if out.empty {
		if err := s.charge(w, r, nil); err != nil {
			return err
		}
		wire.NoContent(w, http.StatusNoContent)
		return nil
	}
	body := out.raw
	if body == nil {
		if body, err = wire.EncodeJSON(out.body); err != nil {
			return s.charge(w, r, err)
		}
		body = s.members.Out(body)
	}
	return s.writeReply(w, r, out, body)
}

// writeReply sends the bytes of a reply, or 304 to a client that has them.
func (s *Service) writeReply(w http.ResponseWriter, r *route.Request, out reply, body []byte) error {
	h := w.Header()
	h["Vary"], h["Cache-Control"] = s.words.vary, s.words.public
	if r.Caller != nil {
		h["Cache-Control"] = s.words.private
	}
	if out.raw != nil {
		// What a repository holds is shown, never run.
		h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	}
	if len(r.Header["If-None-Match"]) > 0 {
		if _, err := s.peek(w, r); err != nil {
			return err
		}
	}
	if wire.NotModified(w, r.Request, wire.ETag(body)) {
		return nil
	}
	if err := s.charge(w, r, nil); err != nil {
		return err
	}
	if out.link != "" {
		h.Set("Link", out.link)
	}
	if out.file != "" {
		h.Set("Content-Disposition", "attachment; filename="+out.file)
	}
	return wire.WriteBytes(w, r.Request, http.StatusOK, out.media, body)
}

// listPage reads page and per_page of lists that are not feeds.
func listPage(r *route.Request) pageKey {
	if r.URL.RawQuery == "" {
		return pageKey{1, defaultSize}
	}
	size := min(positive(r.Query().Get("per_page"), defaultSize), maxSize)
	return pageKey{positive(r.Query().Get("page"), 1), size}
}

func (k pageKey) offset() int64 { return int64(k.number-1) * int64(k.size) }

// listReply is one page of a list.
func (s *Service) listReply(r *route.Request, list any, at pageKey, total int64) reply {
	return reply{body: list, link: s.link(r, r.URL.Path, at, int(total))}
}

// cut is the part of a whole list that a page shows.
func cut[T any](list []T, at pageKey) []T {
	from := min(at.offset(), int64(len(list)))
	return list[from:min(from+int64(at.size), int64(len(list)))]
}
