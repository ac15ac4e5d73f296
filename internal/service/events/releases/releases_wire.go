package releases

import (
	"encoding/json"
	"strconv"

	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/events/objects"
)

type releaseJSON struct {
	URL             string       `json:"url"`
	AssetsURL       string       `json:"assets_url"`
	UploadURL       string       `json:"upload_url"`
	HTMLURL         string       `json:"html_url"`
	ID              int64        `json:"id"`
	Author          objects.User `json:"author"`
	NodeID          string       `json:"node_id"`
	TagName         string       `json:"tag_name"`
	TargetCommitish string       `json:"target_commitish"`
	Name            *string      `json:"name"`
	Draft           bool         `json:"draft"`
	Immutable       bool         `json:"immutable"`
	Prerelease      bool         `json:"prerelease"`
	CreatedAt       string       `json:"created_at"`
	PublishedAt     *string      `json:"published_at"`
	Assets          []struct{}   `json:"assets"`
	TarballURL      *string      `json:"tarball_url"`
	ZipballURL      *string      `json:"zipball_url"`
	Body            *string      `json:"body"`
}

// releaseToWire is the object of a release; repo is OWNER/NAME.
func releaseToWire(r Release, base, repo string) releaseJSON {
	url := base + "/repos/" + repo
	at := url + "/releases/" + strconv.FormatInt(r.ID, 10)
	out := releaseJSON{
		URL: at, AssetsURL: at + "/assets", UploadURL: at + "/assets{?name,label}",
		HTMLURL: objects.Pages(base) + "/" + repo + "/releases/tag/" + objects.EscapePath(r.Tag),
		ID:      r.ID, Author: objects.NewActor(r.Author, base),
		NodeID: objects.NodeID("Release", r.ID), TagName: r.Tag, TargetCommitish: r.Target, Name: objects.OrNull(r.Name),
		Draft: r.Draft, Prerelease: r.Prerelease, CreatedAt: objects.Stamp(r.CreatedAt), Assets: []struct{}{},
		Body: objects.OrNull(r.Body),
	}
	if r.PublishedAt != nil {
		published, ref := objects.Stamp(*r.PublishedAt), objects.EscapePath("refs/tags/"+r.Tag)
		tarball, zipball := url+"/tarball/"+ref, url+"/zipball/"+ref
		out.PublishedAt, out.TarballURL, out.ZipballURL = &published, &tarball, &zipball
	}
	return out
}

type payloadJSON struct {
	Action  string      `json:"action"`
	Release releaseJSON `json:"release"`
}

// Payload is the contract's object for the facts of one of our events.
func Payload(raw json.RawMessage, base, repo string) (json.RawMessage, error) {
	var f facts
	if err := json.Unmarshal(raw, &f); err != nil {
		return nil, err
	}
	return wire.EncodeJSON(payloadJSON{Action: "published", Release: releaseToWire(f.Release, base, repo)})
}
