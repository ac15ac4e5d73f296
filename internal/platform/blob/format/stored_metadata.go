package format

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/blob"
)

// Folders of a store.
const (
	ObjectsDir = "objects"
	UploadsDir = "uploads"
	DueDir     = "due"
)

// Meta is what is kept beside the bytes.
type Meta struct {
	Key         string    `json:"key"`
	Size        int64     `json:"size"`
	SHA256      string    `json:"sha256"`
	ContentType string    `json:"content_type,omitempty"`
	Modified    time.Time `json:"modified"`
	Expires     time.Time `json:"expires,omitzero"`
}

// ToMeta is what is kept of an object.
func ToMeta(i blob.Info) Meta {
	return Meta{i.Key, i.Size, hex.EncodeToString(i.SHA256[:]), i.ContentType, i.Modified, i.Expires}
}

// Info is the object again.
func (m Meta) Info() (blob.Info, error) {
	i := blob.Info{Key: m.Key, Size: m.Size, ContentType: m.ContentType, Modified: m.Modified, Expires: m.Expires}
	sum, err := hex.DecodeString(m.SHA256)
	if err != nil || len(sum) != len(i.SHA256) {
		return blob.Info{}, fmt.Errorf("%w: %s has no hash", blob.ErrDamaged, m.Key)
	}
	copy(i.SHA256[:], sum)
	return i, nil
}

// UploadState is what an upload is, beside its bytes. Only Offset bytes count; what a dead process wrote beyond them is
// cut off.
type UploadState struct {
	Key         string    `json:"key"`
	ContentType string    `json:"content_type,omitempty"`
	Expires     time.Time `json:"expires,omitzero"`
	MaxSize     int64     `json:"max_size,omitempty"`
	SHA256      *[32]byte `json:"sha256,omitempty"`
	Abandon     time.Time `json:"abandon"`
	Offset      int64     `json:"offset"`
	Hash        []byte    `json:"hash,omitempty"`
}

// NewUploadState begins an upload.
func NewUploadState(key string, o blob.UploadOptions, now time.Time) UploadState {
	return UploadState{
		Key: key, ContentType: o.ContentType, Expires: o.Expires, MaxSize: o.MaxSize, SHA256: o.SHA256,
		Abandon: abandonAt(o, now),
	}
}

// Options are those that the upload was made with.
func (u UploadState) Options() blob.PutOptions {
	return blob.PutOptions{ContentType: u.ContentType, Expires: u.Expires, MaxSize: u.MaxSize, SHA256: u.SHA256}
}

// Sum is the hash of all bytes so far.
func (u UploadState) Sum() ([32]byte, error) {
	d, err := ResumeDigest(u.Hash)
	if err != nil {
		return [32]byte{}, err
	}
	return d.Result(), nil
}

// DueTime writes a time so that text sorts as time does.
func DueTime(t time.Time) string { return fmt.Sprintf("%020d", max(t.Unix(), 0)) }

// ParseDue reads what DueTime wrote.
func ParseDue(text string) (time.Time, bool) {
	seconds, err := strconv.ParseInt(text, 10, 64)
	return time.Unix(seconds, 0), err == nil && len(text) == 20
}

// CheckPrefix admits every beginning of a key, the empty one included.
func CheckPrefix(prefix string) error {
	if prefix == "" {
		return nil
	}
	if err := blob.CheckKey(strings.TrimSuffix(prefix, "/")); err != nil {
		return fmt.Errorf("prefix: %w", err)
	}
	return nil
}

// CheckID admits upload ids, which the stores make.
func CheckID(id string) error {
	if len(id) != IDLength || strings.Trim(id, "0123456789abcdef") != "" {
		return fmt.Errorf("%w: upload %q", blob.ErrNotFound, id)
	}
	return nil
}

// IDLength is the number of characters of an upload's id.
const IDLength = 32
