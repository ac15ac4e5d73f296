package generate

import (
	"encoding/base64"
	"strconv"
	"time"

	"stoa.dev/stoa/internal/service/generate/files"
)

// fileJSON is File of the public API.
type fileJSON struct {
	Name           string         `json:"name"`
	DisplayName    string         `json:"displayName,omitempty"`
	MimeType       string         `json:"mimeType"`
	SizeBytes      string         `json:"sizeBytes"`
	CreateTime     string         `json:"createTime"`
	UpdateTime     string         `json:"updateTime"`
	ExpirationTime string         `json:"expirationTime"`
	SHA256Hash     string         `json:"sha256Hash"`
	URI            string         `json:"uri"`
	DownloadURI    string         `json:"downloadUri,omitempty"`
	State          files.State    `json:"state"`
	Source         string         `json:"source"`
	Error          *fileErrorJSON `json:"error,omitempty"`
}

type fileErrorJSON struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func fileToWire(f files.File, base string) fileJSON {
	j := fileJSON{
		Name: files.Prefix + f.ID, DisplayName: f.DisplayName, MimeType: f.MimeType,
		SizeBytes:  strconv.FormatInt(f.Size, 10),
		CreateTime: stamp(f.CreatedAt), UpdateTime: stamp(f.UpdatedAt), ExpirationTime: stamp(f.ExpiresAt),
		SHA256Hash: base64.StdEncoding.EncodeToString([]byte(f.SHA256)),
		URI:        base + "/v1beta/" + files.Prefix + f.ID, State: f.State, Source: "UPLOADED",
	}
	if f.Generated {
		j.Source, j.DownloadURI = "GENERATED", j.URI+":download?alt=media"
	}
	if f.State == files.Failed {
		j.Error = &fileErrorJSON{Code: 3, Message: f.Error}
	}
	return j
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000Z") }
