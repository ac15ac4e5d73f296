package generate

import (
	"cmp"
	"mime"
	"net/http"
	"strings"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/service/generate/api"
	"stoa.dev/stoa/internal/service/generate/files"
	"stoa.dev/stoa/internal/service/generate/uploadparts"
)

// uploadMultipart takes metadata and bytes in one body (multipart/related).
func (s *Service) uploadMultipart(w http.ResponseWriter, r *route.Request, caller *identity.Caller) error {
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || !strings.HasPrefix(kind, "multipart/") || params["boundary"] == "" {
		return api.ErrInvalidField("Content-Type", "must be multipart/related with a boundary")
	}
	parts := uploadparts.New(r.Body, params["boundary"])
	first, err := parts.Metadata()
	if err != nil {
		return parts.Refusal(api.ErrInvalidField("body", "has no first part with the metadata"))
	}
	var meta fileMetadata
	if err := s.readMetadata(first, &meta); err != nil {
		return parts.Refusal(err)
	}
	second, err := parts.File()
	if err != nil {
		return parts.Refusal(api.ErrInvalidField("body", "has no second part with the bytes"))
	}
	return s.uploadAtOnce(w, r, caller, files.NewFile{
		Name: meta.File.Name, DisplayName: meta.File.DisplayName, Length: -1,
		MimeType: cmp.Or(meta.File.MimeType, second.Header.Get("Content-Type")),
	}, second)
}
