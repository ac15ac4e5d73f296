package fromrecording

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// Expected is a request of a recording, in the members of an expectation.
type Expected struct {
	Method string
	// Path is a pattern.
	Path string
	// Status is 0 where any is expected.
	Status int
	// Body are values by their JSON pointer.
	Body map[string]any
	// Count is how often it was recorded; 0 for a stub, which says nothing about it.
	Count int
}

// Bounds of a recording.
const (
	MaxBytes   = 64 << 20
	maxEntries = 10_000
	maxMembers = 1_000
)

var errForm = errors.New("neither an archive (HAR) with log.entries nor stubs of WireMock with request and response")

// Read finds out which form the text has.
func Read(text []byte) ([]Expected, error) {
	if len(text) > MaxBytes {
		return nil, fmt.Errorf("the recording has more than %d bytes", MaxBytes)
	}
	var file struct {
		Log      *archive
		Mappings []stub
		stub
	}
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, fmt.Errorf("the recording is not JSON: %w", err)
	}
	list, err := []Expected(nil), errForm
	switch {
	case file.Log != nil:
		list, err = file.Log.expected()
	case file.Mappings != nil:
		list, err = expectedOf(file.Mappings)
	case file.Request != nil:
		list, err = expectedOf([]stub{file.stub})
	}
	if err == nil && len(list) == 0 {
		// Nothing would be expected, whatever the client does.
		return nil, errors.New("the recording has no requests")
	}
	return list, err
}

// archive is what is read of a HAR.
type archive struct {
	Entries []struct {
		Request struct {
			Method, URL string
			PostData    *struct{ MimeType, Text string }
		}
		Response struct{ Status int }
	}
}

func (a archive) expected() ([]Expected, error) {
	if len(a.Entries) > maxEntries {
		return nil, fmt.Errorf("the recording has more than %d requests", maxEntries)
	}
	var all collected
	for i, e := range a.Entries {
		address, err := url.Parse(e.Request.URL)
		if err != nil || e.Request.Method == "" {
			return nil, fmt.Errorf("entry %d: no method, or an address that does not read: %q", i+1, e.Request.URL)
		}
		x := Expected{Method: e.Request.Method, Path: pattern(address.EscapedPath()), Status: e.Response.Status, Count: 1}
		if body := e.Request.PostData; body != nil && strings.Contains(body.MimeType, "json") {
			if x.Body, err = members([]byte(body.Text)); err != nil {
				return nil, fmt.Errorf("entry %d: %w", i+1, err)
			}
		}
		all.add(x)
	}
	return all.list, nil
}

// stub is what is read of a mapping of WireMock.
type stub struct {
	Request *struct {
		Method, URL, URLPath, URLPattern, URLPathPattern, URLPathTemplate string
		BodyPatterns                                                      []struct{ EqualToJSON json.RawMessage }
	}
	Response struct{ Status int }
}

func expectedOf(stubs []stub) ([]Expected, error) {
	var all collected
	for i, s := range stubs {
		if s.Request == nil {
			return nil, fmt.Errorf("mapping %d: %w", i+1, errForm)
		}
		r := s.Request
		if r.URLPattern != "" || r.URLPathPattern != "" {
			return nil, fmt.Errorf("mapping %d: an address given as a regular expression (%s%s) cannot be an expectation: "+
				"write urlPath or urlPathTemplate", i+1, r.URLPattern, r.URLPathPattern)
		}
		path, _, _ := strings.Cut(r.URL, "?")
		path += r.URLPath + template.ReplaceAllString(r.URLPathTemplate, "*")
		x := Expected{Path: pattern(path), Status: s.Response.Status}
		if r.Method != "ANY" {
			x.Method = r.Method
		}
		for _, b := range r.BodyPatterns {
			text := b.EqualToJSON
			var inner string
			if json.Unmarshal(text, &inner) == nil {
				text = []byte(inner) // the usual form is JSON within a text
			}
			body, err := members(text)
			if err != nil {
				return nil, fmt.Errorf("mapping %d: %w", i+1, err)
			}
			x.Body = body
		}
		all.add(x)
	}
	return all.list, nil
}

var (
	template = regexp.MustCompile(`\{[^/}]*\}`)
	// chosen are segments and values that a service has made up.
	chosen = regexp.MustCompile(`^[A-Za-z0-9_.=-]*[0-9][A-Za-z0-9_.=-]*$`)
)

const chosenLength = 8

func isChosen(text string) bool { return len(text) >= chosenLength && chosen.MatchString(text) }

// pattern matches the path with whatever a service chooses.
func pattern(path string) string {
	segments := strings.Split(path, "/")
	for i, s := range segments {
		if isChosen(s) {
			segments[i] = "*"
		}
	}
	return strings.Join(segments, "/")
}

// collected are requests, each once, in the order in which they came.
type collected struct {
	list  []Expected
	index map[string]int
}

// add counts a request that is there already.
func (c *collected) add(x Expected) {
	body, err := json.Marshal(x.Body)
	key := fmt.Sprintf("%q %q %d %s %v", x.Method, x.Path, x.Status, body, err)
	if i, there := c.index[key]; there {
		c.list[i].Count += x.Count
		return
	}
	if c.index == nil {
		c.index = map[string]int{}
	}
	c.index[key] = len(c.list)
	c.list = append(c.list, x)
}

// members are the values of a JSON document by their pointers.
func members(text []byte) (map[string]any, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		return nil, fmt.Errorf("the body is not JSON: %w", err)
	}
	out := map[string]any{}
	flatten(out, "", v)
	if len(out) > maxMembers {
		return nil, fmt.Errorf("the body has more than %d members", maxMembers)
	}
	return out, nil
}

// escape is immutable.
var escape = strings.NewReplacer("~", "~0", "/", "~1")

func flatten(out map[string]any, pointer string, v any) {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			flatten(out, pointer+"/"+escape.Replace(name), member)
		}
	case []any:
		for i, element := range v {
			flatten(out, pointer+"/"+strconv.Itoa(i), element)
		}
	case string:
		if !isChosen(v) {
			out[pointer] = v
		}
	default:
		out[pointer] = v
	}
}
