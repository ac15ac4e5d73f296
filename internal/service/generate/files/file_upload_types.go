package files

import "time"

// File is uploaded media.
type File struct {
	ID          string
	UserID      int64
	DisplayName string
	MimeType    string
	Size        int64
	SHA256      string // hexadecimal
	State       State
	Blob        string
	// Tokens is what the file weighs in a prompt, known once it is ACTIVE.
	Tokens int
	Error  string
	// Generated is set on files that the service made, which alone can be fetched.
	Generated bool
	CreatedAt time.Time
	UpdatedAt time.Time
	ExpiresAt time.Time
}

// State is where an uploaded file stands.
type State string

// A finished upload is PROCESSING until its job has looked at the bytes.
const (
	Processing State = "PROCESSING"
	Active     State = "ACTIVE"
	Failed     State = "FAILED"
)

// Upload is a file whose bytes are still arriving.
type Upload struct {
	// Digest is the hash of the secret upload id.
	Digest string
	UserID int64
	// KeyID is the credential that began the upload; below one where a page of the console did.
	KeyID       int64
	FileID      string
	DisplayName string
	MimeType    string
	Length      int64 // -1: not announced
	// Received is how much of an upload of unknown length is known to be there;
	// the truth is the offset of its bytes.
	Received  int64
	Blob      string
	State     UploadState
	CreatedAt time.Time
	ExpiresAt time.Time
}

// UploadState is what the status header of an upload says.
type UploadState string

// The states of an upload session.
const (
	UploadActive    UploadState = "active"
	UploadFinal     UploadState = "final"
	UploadCancelled UploadState = "cancelled"
)

// NewFile is what a client says about a file before its bytes come.
type NewFile struct {
	Name, DisplayName, MimeType string
	Length                      int64 // -1: not announced
}

// Cursor is where a page ended: the newest come first.
type Cursor struct {
	CreatedAt time.Time `json:"c"`
	ID        string    `json:"i"`
}

// FirstPage is the cursor before the newest row.
func FirstPage() Cursor { return Cursor{CreatedAt: time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)} }
