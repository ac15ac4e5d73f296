package generate

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/dialect"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/generate/api"
	"stoa.dev/stoa/internal/service/generate/files"
)

// Bounds of what a client says about a file, in bytes and in JSON values.
const (
	maxMetadata       = 64 << 10
	maxMetadataValues = 1000
)

// handleUpload serves the upload protocols. The first request needs a key;
// the later ones of a session carry its secret id.
func (s *Service) handleUpload(w http.ResponseWriter, r *route.Request) error {
	if id := r.Query().Get("upload_id"); id != "" {
		return s.uploadSession(w, r, id)
	}
	caller := identity.From(r)
	if caller == nil {
		return route.ErrNoCredential
	}
	protocol := strings.ToLower(s.header(r, dialect.UploadProtocol))
	if protocol == "" {
		protocol = r.Query().Get("uploadType")
	}
	switch protocol {
	case "resumable":
		return s.uploadStart(w, r, caller)
	case "multipart":
		return s.uploadMultipart(w, r, caller)
	case "raw", "media":
		return s.uploadAtOnce(w, r, caller, files.NewFile{
			MimeType: r.Header.Get("Content-Type"), DisplayName: s.header(r, dialect.UploadFileName),
			Length: r.ContentLength,
		}, r.Body)
	}
	return api.ErrInvalidField(s.world.Dialect.Says(dialect.UploadProtocol),
		"%q is not one of resumable, multipart and raw", protocol)
}

// fileMetadata is the body of a start.
type fileMetadata struct {
	File struct {
		Name        string     `json:"name"`
		DisplayName string     `json:"displayName"`
		MimeType    string     `json:"mimeType"`
		SizeBytes   api.Number `json:"sizeBytes"`
	} `json:"file"`
}

func (s *Service) uploadStart(w http.ResponseWriter, r *route.Request, caller *identity.Caller) error {
	if command := s.header(r, dialect.UploadCommand); command != "start" {
		return api.ErrInvalidField(s.world.Dialect.Says(dialect.UploadCommand),
			"%q does not begin an upload; use start", command)
	}
	var meta fileMetadata
	if err := s.readMetadata(r.Body, &meta); err != nil {
		return err
	}
	n := files.NewFile{
		Name: meta.File.Name, Length: -1,
		DisplayName: cmp.Or(meta.File.DisplayName, s.header(r, dialect.UploadFileName)),
		MimeType:    cmp.Or(s.header(r, dialect.UploadContentType), meta.File.MimeType),
	}
	if raw := s.header(r, dialect.UploadContentLength); raw != "" {
		length, err := s.byteCount(dialect.UploadContentLength, raw)
		if err != nil {
			return err
		}
		n.Length = length
	}

	id, _, err := s.files.Start(r.Context(), caller, n)
	if err != nil {
		return err
	}

	address := s.world.URL(r.Context()) + "/upload/v1beta/files?upload_id=" + url.QueryEscape(id) +
		"&upload_protocol=resumable"
	s.setHeader(w, dialect.UploadURL, address)
	s.setHeader(w, dialect.UploadControlURL, address)
	s.setHeader(w, dialect.UploadChunkGranularity, strconv.Itoa(files.ChunkGranularity))
	s.setHeader(w, dialect.UploadStatus, string(files.UploadActive))
	w.WriteHeader(http.StatusOK)
	return nil
}

// byteCount reads a header that is a number of bytes.
func (s *Service) byteCount(header dialect.Word, raw string) (int64, error) {
	n, err := strconv.ParseInt(raw, 10, 64)
	if err != nil || n < 0 {
		return 0, api.ErrInvalidField(s.world.Dialect.Says(header), "%q is not a number of bytes", raw)
	}
	return n, nil
}

// readMetadata takes an empty body too: everything in it is optional.
func (s *Service) readMetadata(body io.Reader, meta *fileMetadata) error {
	b, err := io.ReadAll(io.LimitReader(body, maxMetadata+1))
	if err != nil {
		return api.ErrInvalidField("file", "the metadata could not be read")
	}
	if len(b) > maxMetadata {
		return wire.ErrTooLarge
	}
	if len(b) == 0 {
		return nil
	}
	var any map[string]any
	if err := wire.DecodeJSON(b, &any, wire.MaxValues(maxMetadataValues)); err != nil {
		return err
	}
	named, _ := api.CamelNames(b, nil)
	return wire.DecodeJSON(named, meta, wire.DisallowUnknown(), wire.MaxValues(maxMetadataValues))
}

// uploadSession serves upload, query, finalize and cancel.
func (s *Service) uploadSession(w http.ResponseWriter, r *route.Request, id string) error {
	u, err := s.files.Upload(r.Context(), id)
	if err != nil {
		return err
	}
	if caller := identity.From(r); caller != nil && caller.UserID != u.UserID {
		return files.ErrNoSession("there is no such upload session")
	}
	// Every answer has the state: clients repeat requests whose answer does not.
	s.setHeader(w, dialect.UploadStatus, string(u.State))
	finalize := false
	for _, command := range strings.Split(s.header(r, dialect.UploadCommand), ",") {
		switch strings.TrimSpace(command) {
		case "upload":
			err = s.uploadBytes(r, &u)
		case "finalize":
			finalize = true
		case "query":
			return s.uploadQuery(w, r, u)
		case "cancel":
			return s.uploadCancel(w, r, u)
		default:
			err = api.ErrInvalidField(s.world.Dialect.Says(dialect.UploadCommand),
				"%q is not one of upload, finalize, query and cancel", command)
		}
		if err != nil {
			return err
		}
	}
	if !finalize {
		w.WriteHeader(http.StatusOK)
		return nil
	}
	return s.uploadFinal(w, r, u)
}

// uploadBytes takes one chunk. A request that ends the upload and comes twice,
// because the answer was lost or is on its way, finds it final and changes u.
func (s *Service) uploadBytes(r *route.Request, u *files.Upload) error {
	finalize := strings.Contains(s.header(r, dialect.UploadCommand), "finalize")
	if u.State == files.UploadFinal && finalize {
		return nil
	}
	offset, err := s.byteCount(dialect.UploadOffset, s.header(r, dialect.UploadOffset))
	if err != nil {
		return err
	}
	body := &bodyReader{Reader: r.Body}
	err = s.files.Append(r.Context(), *u, offset, body)
	var session *files.SessionError
	switch refused := errors.As(err, &session); {
	case err == nil:
		return nil
	case refused && session.Status == files.StatusOffset && finalize:
		if now, found := s.files.Refresh(r.Context(), *u); found == nil && now.State == files.UploadFinal {
			*u = now
			return nil
		}
	case body.err != nil && !refused:
		return &files.SessionError{
			Status: files.StatusInvalid, State: files.UploadActive,
			Message: "the connection broke; what arrived is kept, ask with query where to go on",
		}
	}
	return err
}

// bodyReader keeps the error of a broken connection, as that of a store comes
// the same way.
type bodyReader struct {
	io.Reader
	err error
}

func (b *bodyReader) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		b.err = err
	}
	return n, err
}

func (s *Service) uploadQuery(w http.ResponseWriter, r *route.Request, u files.Upload) error {
	if u.State == files.UploadCancelled {
		return files.ErrEnded(u)
	}
	received, err := s.files.Received(r.Context(), u)
	if err != nil {
		return err
	}
	s.setHeader(w, dialect.UploadSizeReceived, strconv.FormatInt(received, 10))
	if u.State == files.UploadFinal {
		return s.uploadFinal(w, r, u)
	}
	w.WriteHeader(http.StatusOK)
	return nil
}

func (s *Service) uploadCancel(w http.ResponseWriter, r *route.Request, u files.Upload) error {
	if err := s.files.Cancel(r.Context(), u); err != nil {
		return err
	}
	s.setHeader(w, dialect.UploadStatus, string(files.UploadCancelled))
	w.WriteHeader(http.StatusOK)
	return nil
}

func (s *Service) uploadFinal(w http.ResponseWriter, r *route.Request, u files.Upload) error {
	f, err := s.files.Finalize(r.Context(), u)
	if err != nil {
		return err
	}
	s.setHeader(w, dialect.UploadStatus, string(files.UploadFinal))
	file := fileToWire(f, s.world.URL(r.Context()))
	return wire.WriteJSON(w, r.Request, http.StatusOK, map[string]fileJSON{"file": file})
}

// uploadAtOnce is start, upload and finalize in one request. The client could not
// go on with what failed, so nothing of it is kept.
func (s *Service) uploadAtOnce(
	w http.ResponseWriter, r *route.Request, caller *identity.Caller, n files.NewFile, body io.Reader,
) error {
	_, u, err := s.files.Start(r.Context(), caller, n)
	if err != nil {
		return err
	}
	from := &bodyReader{Reader: body}
	if err = s.files.Append(r.Context(), u, 0, from); err == nil {
		err = s.uploadFinal(w, r, u)
	}
	if err == nil {
		return nil
	}
	if from.err != nil {
		err = api.ErrInvalidField("body", "ended too early")
	}
	var over *files.SessionError
	if cancelled := s.files.Cancel(context.WithoutCancel(r.Context()), u); !errors.As(cancelled, &over) {
		err = errors.Join(err, cancelled)
	}
	return err
}
