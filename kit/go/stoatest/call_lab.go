package stoatest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// lab is the control API of a lab.
type lab struct {
	url, token string
	http       *http.Client
}

// Error is what a lab refused, in its own words.
type Error struct {
	Status  int
	Code    string // invalid, unauthorized, not_found, conflict, exhausted or failed
	Message string
	// Next says what to do.
	Next string
}

func (e *Error) Error() string {
	if e.Next == "" {
		return e.Message
	}
	return e.Message + ": " + e.Next
}

// call sends in and reads out, each of which may be nil.
func (l *lab) call(ctx context.Context, method, path string, in, out any) error {
	var body io.Reader
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, l.url+"/lab/v1"+path, body)
	if err != nil {
		return l.silent(err)
	}
	request.Header.Set("Authorization", "Bearer "+l.token)
	if in != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := l.http.Do(request)
	if err != nil {
		return l.silent(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return l.silent(err)
	}
	if err := checkVersion(response.Header.Get("Stoa-Version")); err != nil {
		return err
	}
	if response.StatusCode >= http.StatusBadRequest {
		return refusal(response.StatusCode, text)
	}
	switch out := out.(type) {
	case nil:
		return nil
	case *string:
		*out = string(text)
		return nil
	}
	return json.Unmarshal(text, out)
}

// silent is the failure of a call without an answer.
func (l *lab) silent(err error) error {
	if failed := (*url.Error)(nil); errors.As(err, &failed) {
		err = failed.Err // the rest is the address
	}
	return fmt.Errorf("the lab at %s does not answer (%w): it has ended, or STOA_LAB_URL names another address",
		l.url, err)
}

func refusal(status int, text []byte) error {
	var body struct {
		Error struct{ Code, Message, Next string }
	}
	if json.Unmarshal(text, &body) != nil || body.Error.Message == "" {
		return &Error{Status: status, Message: fmt.Sprintf("the lab answered %d: %.200s", status, text)}
	}
	return &Error{Status: status, Code: body.Error.Code, Message: body.Error.Message, Next: body.Error.Next}
}

// Version is that of the program which this package was made for; a lab of the same
// major and minor version is driven, and so is a build without a release number.
const Version = "1.0.0"

// checkVersion compares releases. What has no number is a build of a developer.
func checkVersion(other string) error {
	if theirs := series(other); theirs != "" && theirs != series(Version) {
		return fmt.Errorf("stoatest is made for Stoa %s and the lab is %s: install the same version of both",
			Version, other)
	}
	return nil
}

// series is the major and minor number of a release, empty for other builds: one that git describes as commits after a
// release is a developer's too.
func series(version string) string {
	parts := strings.Split(strings.TrimPrefix(version, "v"), ".")
	if len(parts) != 3 {
		return ""
	}
	for _, part := range parts {
		if _, err := strconv.ParseUint(part, 10, 31); err != nil {
			return ""
		}
	}
	return parts[0] + "." + parts[1]
}
