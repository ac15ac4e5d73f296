package format

import (
	"time"

	"stoa.dev/stoa/internal/platform/blob"
)

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

// abandonAt is when an upload that starts now is given up.
func abandonAt(o blob.UploadOptions, now time.Time) time.Time {
	if o.Abandon.IsZero() {
		return now.Add(blob.AbandonAfter).UTC()
	}
	return o.Abandon.UTC()
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
