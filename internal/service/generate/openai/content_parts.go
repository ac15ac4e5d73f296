package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"stoa.dev/stoa/internal/service/generate/api"
)

// messageContent is a text, or a list of parts.
type messageContent []contentPart

// UnmarshalJSON takes both, and null for none.
func (c *messageContent) UnmarshalJSON(b []byte) error {
	switch {
	case string(b) == "null":
		return nil
	case len(b) > 0 && b[0] == '"':
		text := ""
		err := json.Unmarshal(b, &text)
		*c = messageContent{{Type: "text", Text: text}}
		return err
	}
	return strict(b, (*[]contentPart)(c))
}

// strict refuses members that are not known, also inside a value with its own decoder.
func strict(b []byte, dst any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	return d.Decode(dst)
}

// contentPart is one part of a message in either API of this form.
type contentPart struct {
	Type       string      `json:"type"`
	Text       string      `json:"text"`
	Refusal    string      `json:"refusal"`
	ImageURL   imageURL    `json:"image_url"`
	InputAudio *inputAudio `json:"input_audio"`
	File       *fileRef    `json:"file"`
	Detail     string      `json:"detail"`
	// Annotations and Logprobs come back with an earlier answer; models do not
	// read them.
	Annotations json.RawMessage `json:"annotations"`
	Logprobs    json.RawMessage `json:"logprobs"`
	fileRef
}

// imageURL is an address, or an object that has one.
type imageURL struct {
	URL    string `json:"url"`
	Detail string `json:"detail"`
}

// UnmarshalJSON takes both.
func (i *imageURL) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, &i.URL)
	}
	type plain imageURL
	return strict(b, (*plain)(i))
}

type inputAudio struct {
	Data   string `json:"data"`
	Format string `json:"format"`
}

type fileRef struct {
	FileID   string `json:"file_id"`
	FileData string `json:"file_data"`
	FileURL  string `json:"file_url"`
	Filename string `json:"filename"`
}

// toParts translates the content of one message.
func (c messageContent) toParts(field string) ([]api.Part, error) {
	parts := make([]api.Part, 0, len(c))
	for i := range c {
		part, err := c[i].toPart(fmt.Sprintf("%s[%d]", field, i))
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	return parts, nil
}

func (p *contentPart) toPart(field string) (api.Part, error) {
	switch p.Type {
	case "text", "input_text", "output_text":
		return api.Text(p.Text), nil
	case "refusal":
		return api.Text(p.Refusal), nil
	case "image_url", "input_image":
		if p.FileID != "" {
			return fileNamed(p.FileID), nil
		}
		return mediaAt(p.ImageURL.URL), nil
	case "input_audio":
		if p.InputAudio == nil {
			return api.Part{}, api.ErrInvalidField(field+".input_audio", "is required")
		}
		format := strings.Replace(p.InputAudio.Format, "mp3", "mpeg", 1)
		return api.Part{InlineData: &api.InlineData{MimeType: "audio/" + format, Data: p.InputAudio.Data}}, nil
	case "file", "input_file":
		return p.toFilePart(field)
	}
	return api.Part{}, api.ErrInvalidField(field+".type", "%q is not a kind of content that is known here", p.Type)
}

func (p *contentPart) toFilePart(field string) (api.Part, error) {
	f := p.fileRef
	if p.File != nil {
		f = *p.File
	}
	switch {
	case f.FileID != "":
		return fileNamed(f.FileID), nil
	case f.FileURL != "":
		return mediaAt(f.FileURL), nil
	case f.FileData != "":
		return mediaAt(f.FileData), nil
	}
	return api.Part{}, api.ErrInvalidField(field, "a file needs file_id or file_data")
}

func fileNamed(id string) api.Part { return api.Part{FileData: &api.FileData{FileURI: id}} }

// mediaAt is the media of a data address, or an uploaded file. Other addresses
// are refused where files are looked up: this server fetches nothing.
func mediaAt(address string) api.Part {
	if rest, ok := strings.CutPrefix(address, "data:"); ok {
		if mimeType, data, ok := strings.Cut(rest, ";base64,"); ok {
			return api.Part{InlineData: &api.InlineData{MimeType: mimeType, Data: data}}
		}
	}
	return fileNamed(address)
}

// plainText is the text of a content that may only be text.
func (c messageContent) plainText(field string) (string, error) {
	parts, err := c.toParts(field)
	if err != nil {
		return "", err
	}
	var texts []string
	for _, part := range parts {
		if part.Text == nil {
			return "", api.ErrInvalidField(field, "must be text")
		}
		texts = append(texts, *part.Text)
	}
	return strings.Join(texts, "\n"), nil
}

// callPart is a call that a model made in an earlier answer.
func callPart(field, id, name, arguments string) (api.Part, error) {
	if strings.TrimSpace(arguments) == "" {
		arguments = "{}"
	}
	if !json.Valid([]byte(arguments)) {
		return api.Part{}, api.ErrInvalidField(field+".arguments", "is not JSON")
	}
	return api.Part{FunctionCall: &api.FunctionCall{ID: id, Name: name, Args: json.RawMessage(arguments)}}, nil
}

// resultPart is what a function answered: an object as it is, anything else as
// the member output, which is what the other form calls it.
func resultPart(id, name, text string) (api.Part, error) {
	raw := json.RawMessage(strings.TrimSpace(text))
	if len(raw) == 0 || raw[0] != '{' || !json.Valid(raw) {
		var err error
		if raw, err = json.Marshal(map[string]string{"output": text}); err != nil {
			return api.Part{}, err
		}
	}
	return api.Part{FunctionResponse: &api.FunctionResponse{ID: id, Name: name, Response: raw}}, nil
}
