package generate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

const (
	filePrefix = "files/"
	// maxMedia is how much of a file a backend is handed.
	maxMedia = 20 << 20
	// maxDisplayName is in characters.
	maxDisplayName = 512
)

// firstPage is the cursor before the newest row.
func firstPage() cursor { return cursor{CreatedAt: time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)} }

// GetFile finds a file by id, or by its name files/ID.
func (s *Service) GetFile(ctx context.Context, userID int64, name string) (File, error) {
	return s.store.file(ctx, s.world.DB, userID, strings.TrimPrefix(name, filePrefix), s.now())
}

// ListFiles gives a page of files, the newest first, and whether there are more.
func (s *Service) ListFiles(ctx context.Context, userID int64, after cursor, size int) ([]File, bool, error) {
	list, err := s.store.files(ctx, s.world.DB, userID, after, s.now(), size+1)
	if err != nil || len(list) <= size {
		return list, false, err
	}
	return list[:size], true, nil
}

// DeleteFile forgets a file. Its bytes go after the row, so that nothing
// points at bytes that are gone.
func (s *Service) DeleteFile(ctx context.Context, userID int64, name string) error {
	f, err := s.GetFile(ctx, userID, name)
	if err != nil {
		return err
	}
	if err := s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error { return s.store.deleteFile(ctx, tx, f) }); err != nil {
		return err
	}
	return s.forgetBytes(ctx, []File{f})
}

// forgetBytes deletes the bytes of files whose rows are gone. Those of a
// process that dies before it expire by themselves.
func (s *Service) forgetBytes(ctx context.Context, files []File) error {
	ctx = context.WithoutCancel(ctx)
	var failed error
	for _, f := range files {
		failed = errors.Join(failed, s.world.Blobs.Delete(ctx, f.Blob))
	}
	return failed
}

// fileID reads the forms a file is referred to by: its address, its name, its id.
func fileID(uri string) (string, error) {
	id := strings.TrimPrefix(uri, filePrefix)
	if _, after, found := strings.Cut(uri, "/v1beta/files/"); found {
		id = after
	}
	if !fileName(id) {
		return "", errInvalid("fileData.fileUri", "%q is not the uri of an uploaded file; this server fetches nothing from elsewhere", uri)
	}
	return id, nil
}

// fileName reports whether an id has the form of file ids.
func fileName(id string) bool {
	if id == "" || len(id) > 40 || id[0] == '-' || id[len(id)-1] == '-' {
		return false
	}
	for i := 0; i < len(id); i++ {
		if b := id[i]; !(b >= 'a' && b <= 'z' || b >= '0' && b <= '9' || b == '-') {
			return false
		}
	}
	return true
}

// usable finds the file behind a part and holds the rule that only ACTIVE
// files can be used.
func (s *Service) usable(ctx context.Context, userID int64, d *FileData) (File, error) {
	id, err := fileID(d.FileURI)
	if err != nil {
		return File{}, err
	}
	f, err := s.GetFile(ctx, userID, id)
	if err != nil {
		return f, err
	}
	if f.State != FileActive {
		return f, errPrecondition("the file %s is not in an ACTIVE state and usage is not allowed (it is %s)", f.ID, f.State)
	}
	if d.MimeType != "" && bareType(d.MimeType) != bareType(f.MimeType) {
		return f, errInvalid("fileData.mimeType", "%q is not the type the file %s was uploaded with, %s", d.MimeType, f.ID, f.MimeType)
	}
	return f, nil
}

func bareType(s string) string {
	if t, _, err := mime.ParseMediaType(s); err == nil {
		return t
	}
	return s
}

// media reads a file's bytes for a backend.
func (s *Service) media(ctx context.Context, userID int64, d *FileData, grow func(int64) error) (string, []byte, error) {
	f, err := s.usable(ctx, userID, d)
	if err != nil {
		return "", nil, err
	}
	if f.Size > maxMedia {
		return "", nil, errInvalid("fileData.fileUri", "the file has %d bytes, this model takes %d", f.Size, maxMedia)
	}
	if err := grow(mediaWeight * f.Size); err != nil {
		return "", nil, err
	}
	data, err := s.head(ctx, f, maxMedia)
	return f.MimeType, data, err
}

// head reads the start of a stored file.
func (s *Service) head(ctx context.Context, f File, most int64) ([]byte, error) {
	r, _, err := s.world.Blobs.Open(ctx, f.Blob)
	if err != nil {
		return nil, fmt.Errorf("read file %s: %w", f.ID, err)
	}
	data, err := io.ReadAll(io.LimitReader(r, most))
	if closeErr := r.Close(); err == nil {
		err = closeErr
	}
	return data, err
}

// scale weighs for one user, who may refer to files of their own only.
func (s *Service) scale(m ModelConfig, most int, userID int64, resolution Enum) scale {
	return scale{tokens: s.counter(m), most: most, low: resolution, file: func(ctx context.Context, d *FileData) (weight, error) {
		f, err := s.usable(ctx, userID, d)
		if err != nil {
			return weight{}, err
		}
		return weightOfKind(modalityOf(f.MimeType), f.Tokens), nil
	}}
}

func modalityOf(mimeType string) string {
	kind, _, _ := strings.Cut(mimeType, "/")
	switch {
	case kind == "image", kind == "audio", kind == "video":
		return strings.ToUpper(kind)
	case strings.HasPrefix(mimeType, "application/pdf"):
		return "DOCUMENT"
	}
	return "TEXT"
}
