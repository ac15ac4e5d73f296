package generate

import (
	"cmp"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"

	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/generate/api"
	"stoa.dev/stoa/internal/service/generate/files"
)

// maxPartHeads is how much a body in parts may have besides the bytes of the file: the metadata, headers of parts and
// text before them.
const maxPartHeads = maxMetadata + 64<<10

// uploadMultipart takes metadata and bytes in one body (multipart/related).
func (s *Service) uploadMultipart(w http.ResponseWriter, r *route.Request, userID int64) error {
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || !strings.HasPrefix(kind, "multipart/") || params["boundary"] == "" {
		return api.ErrInvalidField("Content-Type", "must be multipart/related with a boundary")
	}
	heads := &partHeads{Reader: r.Body, left: maxPartHeads}
	parts := multipart.NewReader(heads, params["boundary"])
	first, err := parts.NextPart()
	if err != nil {
		return heads.refusal(api.ErrInvalidField("body", "has no first part with the metadata"))
	}
	var meta fileMetadata
	if err := s.readMetadata(first, &meta); err != nil {
		return heads.refusal(err)
	}
	second, err := parts.NextPart()
	if err != nil {
		return heads.refusal(api.ErrInvalidField("body", "has no second part with the bytes"))
	}
	heads.left = unbounded
	return s.uploadAtOnce(w, r, userID, files.NewFile{
		Name: meta.File.Name, DisplayName: meta.File.DisplayName, Length: -1,
		MimeType: cmp.Or(meta.File.MimeType, second.Header.Get("Content-Type")),
	}, second)
}

// partHeads bounds what is read of a body until its bytes begin. A header of a part stays in memory, ten megabytes of
// it if need be, and the body of an upload is not weighed: it goes to disk.
type partHeads struct {
	io.Reader
	left int64 // unbounded once the bytes have begun
	over bool
}

const unbounded = -1

func (h *partHeads) Read(p []byte) (int, error) {
	switch {
	case h.left == unbounded:
		return h.Reader.Read(p)
	case h.left == 0:
		h.over = true
		return 0, wire.ErrTooLarge
	}
	n, err := h.Reader.Read(p[:min(int64(len(p)), h.left)])
	h.left -= int64(n)
	return n, err
}

// refusal is why the parts were not read, err unless there was too much before their bytes.
func (h *partHeads) refusal(err error) error {
	if h.over {
		return wire.ErrTooLarge
	}
	return err
}
