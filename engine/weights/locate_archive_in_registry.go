package weights

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path"
	"regexp"
	"strings"
)

// locate asks a registry where the archive is.
func locate(ctx context.Context, from Source, base string, a Archive) (string, error) {
	switch a.Kind {
	case NPM:
		return locateNPM(ctx, from, base, a)
	case Maven:
		return locateMaven(base, a), nil
	}
	return locatePyPI(ctx, from, base, a)
}

// locateMaven is where a repository has an archive; its layout is fixed.
func locateMaven(base string, a Archive) string {
	group, artifact, _ := strings.Cut(a.Package, ":")
	return strings.Join([]string{
		strings.TrimSuffix(base, "/"), strings.ReplaceAll(group, ".", "/"), artifact, a.Version,
		artifact + "-" + a.Version + ".jar",
	}, "/")
}

func locateNPM(ctx context.Context, from Source, base string, a Archive) (string, error) {
	res, err := from.Get(ctx, base+"/"+strings.Replace(a.Package, "/", "%2f", 1), "application/json")
	if err != nil {
		return "", err
	}
	var document struct {
		Versions map[string]struct {
			Dist struct {
				Tarball string `json:"tarball"`
			} `json:"dist"`
		} `json:"versions"`
	}
	if err := json.Unmarshal(res.Body, &document); err != nil || document.Versions[a.Version].Dist.Tarball == "" {
		return "", fmt.Errorf("the registry does not have %s %s", a.Package, a.Version)
	}
	return document.Versions[a.Version].Dist.Tarball, nil
}

// link is an address in a list of files for browsers.
var link = regexp.MustCompile(`href="([^"#]+)`)

func locatePyPI(ctx context.Context, from Source, base string, a Archive) (string, error) {
	res, err := from.Get(ctx, base+"/"+a.Package+"/", "application/vnd.pypi.simple.v1+json, text/html;q=0.2")
	if err != nil {
		return "", err
	}
	var document struct {
		Files []struct {
			Filename string `json:"filename"`
			URL      string `json:"url"`
		} `json:"files"`
	}
	found := ""
	if strings.Contains(res.ContentType, "json") {
		if err := json.Unmarshal(res.Body, &document); err != nil {
			return "", errors.New("the registry's list of files is not JSON")
		}
		for _, file := range document.Files {
			if file.Filename == a.File {
				found = file.URL
			}
		}
	} else {
		for _, match := range link.FindAllStringSubmatch(string(res.Body), -1) {
			if path.Base(match[1]) == a.File {
				found = strings.ReplaceAll(match[1], "&amp;", "&")
			}
		}
	}
	page, err := url.Parse(res.URL)
	if err != nil || found == "" {
		return "", fmt.Errorf("the registry does not have %s", a.File)
	}
	whole, err := page.Parse(found)
	if err != nil {
		return "", fmt.Errorf("the registry names no address of %s", a.File)
	}
	return whole.String(), nil
}
