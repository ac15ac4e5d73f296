package generate

import (
	"net/http"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/platform/wire/ranges"
	"stoa.dev/stoa/internal/service/generate/api"
	"stoa.dev/stoa/internal/service/generate/files"
)

// handleCreateFile refuses: a file without bytes is of no use here.
func (s *Service) handleCreateFile(http.ResponseWriter, *route.Request) error {
	return api.ErrInvalidField("file", "a file is made by uploading its bytes to /upload/v1beta/files")
}

func (s *Service) handleGetFile(w http.ResponseWriter, r *route.Request) error {
	f, err := s.files.Get(r.Context(), identity.From(r).UserID, r.PathValue("file"))
	if err != nil {
		return err
	}

	return wire.WriteJSON(w, r.Request, http.StatusOK, fileToWire(f, s.world.URL(r.Context())))
}

// handleDownloadFile gives the bytes of a file that the service has made; others are refused.
func (s *Service) handleDownloadFile(w http.ResponseWriter, r *route.Request) error {
	f, err := s.files.Get(r.Context(), identity.From(r).UserID, r.PathValue("file"))
	if err != nil {
		return err
	}
	if !f.Generated {
		return api.ErrInvalidField("name", "uploaded files cannot be downloaded; only generated ones can")
	}
	content, err := s.files.Open(r.Context(), f)
	if err != nil {
		return err
	}
	defer func() { _ = content.Close() }() // it was only read

	w.Header().Set("Content-Type", f.MimeType)
	w.Header().Set("Cache-Control", "no-store")
	ranges.Serve(w, r.Request, "", f.UpdatedAt, content)
	return nil
}

func (s *Service) handleListFiles(w http.ResponseWriter, r *route.Request) error {
	list, next, err := listPage(s, r, "files", 10, 100, s.files.List, func(f files.File) files.Cursor {
		return files.Cursor{CreatedAt: f.CreatedAt, ID: f.ID}
	})
	if err != nil {
		return err
	}

	page := filesJSON{NextPageToken: next}
	base := s.world.URL(r.Context())
	for _, f := range list {
		page.Files = append(page.Files, fileToWire(f, base))
	}
	return wire.WriteJSON(w, r.Request, http.StatusOK, page)
}

func (s *Service) handleDeleteFile(w http.ResponseWriter, r *route.Request) error {
	if err := s.files.Delete(r.Context(), identity.From(r).UserID, r.PathValue("file")); err != nil {
		return err
	}

	return writeEmpty(w, r)
}
