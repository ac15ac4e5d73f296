package generate

import (
	"net/http"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

// handleCreateFile refuses: a file without bytes is of no use here.
func (s *Service) handleCreateFile(http.ResponseWriter, *route.Request) error {
	return errInvalid("file", "a file is made by uploading its bytes to /upload/v1beta/files")
}

func (s *Service) handleGetFile(w http.ResponseWriter, r *route.Request) error {
	f, err := s.GetFile(r.Context(), identity.From(r).UserID, r.PathValue("file"))
	if err != nil {
		return err
	}

	return wire.WriteJSON(w, r.Request, http.StatusOK, s.fileToWire(f))
}

// handleDownloadFile holds the rule that only generated files can be fetched;
// this server generates none.
func (s *Service) handleDownloadFile(_ http.ResponseWriter, r *route.Request) error {
	if _, err := s.GetFile(r.Context(), identity.From(r).UserID, r.PathValue("file")); err != nil {
		return err
	}

	return errInvalid("name", "uploaded files cannot be downloaded; only generated ones can")
}

func (s *Service) handleListFiles(w http.ResponseWriter, r *route.Request) error {
	size, err := pageSize(r.Query(), 10, 100)
	if err != nil {
		return err
	}
	after, err := s.pageStart(r, "files")
	if err != nil {
		return err
	}

	list, more, err := s.ListFiles(r.Context(), identity.From(r).UserID, after, size)
	if err != nil {
		return err
	}

	page := struct {
		Files         []fileJSON `json:"files,omitempty"`
		NextPageToken string     `json:"nextPageToken,omitempty"`
	}{}
	for _, f := range list {
		page.Files = append(page.Files, s.fileToWire(f))
	}
	if more {
		last := list[len(list)-1]
		page.NextPageToken = s.pages().Seal(cursor{last.CreatedAt, last.ID}, "files")
	}
	return wire.WriteJSON(w, r.Request, http.StatusOK, page)
}

func (s *Service) handleDeleteFile(w http.ResponseWriter, r *route.Request) error {
	if err := s.DeleteFile(r.Context(), identity.From(r).UserID, r.PathValue("file")); err != nil {
		return err
	}

	return wire.WriteJSON(w, r.Request, http.StatusOK, nothing())
}
