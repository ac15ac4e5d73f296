package resourcepages

import (
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/resource"
	"stoa.dev/stoa/internal/platform/wire"
)

// sent reads a form into what the call is made with. The problem says what a person
// has to correct.
func (p *Pages) sent(v Visit, at place, a resource.Action) (in input, problem string, err error) {
	values := v.Request.Query()
	in = input{values: url.Values{}, query: url.Values{}, files: map[string]string{}}
	for name := range values {
		in.values[name] = values[name]
	}
	var before any
	if a.Edit {
		read, item, err := p.read(v, at, values)
		if err != nil {
			return in, "", err
		}
		if read.failed() {
			return in, errorText(read), nil
		}
		before = item
	}
	body, asBody := map[string]any{}, len(a.Body) > 0 || a.Edit && a.Call.Command == ""
	for pointer, value := range a.Body {
		if text, ok := value.(string); ok {
			value = filledText(text, values)
		}
		put(body, strings.Split(strings.TrimPrefix(pointer, "/"), "/"), value)
	}
	for _, f := range p.fieldsOf(a, values) {
		text := strings.TrimSpace(v.Values.Get("f:" + f.Name))
		if f.Required && text == "" && f.Kind != resource.Bool {
			return in, f.Title + " is needed.", nil
		}
		switch {
		case a.Call.Command != "":
			p.putArgument(&in, f, text, a.Edit && at.same(f, text, before))
		case f.In == resource.InPath:
			in.values.Set(f.Name, text)
		case f.In == resource.InQuery:
			if text != "" {
				in.query.Set(f.Name, at.sentText(f, text))
			}
		default:
			asBody = true
			if a.Edit && at.same(f, text, before) || !a.Edit && text == "" && f.Kind != resource.Bool {
				continue
			}
			value, problem := at.sentValue(f, text)
			if problem != "" {
				return in, f.Title + ": " + problem, nil
			}
			put(body, strings.Split(f.Name, "/"), value)
		}
	}
	if asBody {
		in.body = body
	}
	return in, "", nil
}

// same reports whether what was typed is what the thing has. Browsers write the same
// time with and without its seconds.
func (at place) same(f resource.Field, text string, item any) bool {
	had := at.typedText(f, item)
	if f.Kind == resource.Time {
		typed, ok := at.parseInputTime(text)
		before, was := at.parseInputTime(had)
		return ok && was && typed.Equal(before) || text == had
	}
	return text == had
}

// putArgument gives a command what was typed for it; what did not change is left out.
func (p *Pages) putArgument(in *input, f resource.Field, text string, same bool) {
	switch {
	case same, text == "":
	case f.Kind == resource.Upload:
		in.files[f.Name] = text
	case f.Kind == resource.Lines:
		in.values[f.Name] = lines(text)
	default:
		in.values.Set(f.Name, text)
	}
}

// put sets a member deep in a body; a step that is a number is a place in an array.
func put(into map[string]any, path []string, value any) {
	if len(path) == 1 {
		into[path[0]] = value
		return
	}
	if path[1] == "0" {
		inner := map[string]any{}
		if list, ok := into[path[0]].([]any); ok {
			inner = list[0].(map[string]any)
		} else {
			into[path[0]] = []any{inner}
		}
		put(inner, path[2:], value)
		return
	}
	inner, ok := into[path[0]].(map[string]any)
	if !ok {
		inner = map[string]any{}
		into[path[0]] = inner
	}
	put(inner, path[1:], value)
}

func lines(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}

// How browsers write what a person chose, which is in the zone of the page.
const (
	inputTime   = "2006-01-02T15:04:05"
	inputMinute = "2006-01-02T15:04"
)

// inputText is a time as a field of a form has it.
func inputText(t time.Time) string {
	if t.Second() == 0 {
		return t.Format(inputMinute)
	}
	return t.Format(inputTime)
}

func (at place) parseInputTime(text string) (time.Time, bool) {
	for _, layout := range []string{inputTime, inputMinute, time.RFC3339} {
		if t, err := time.ParseInLocation(layout, text, at.zone); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// sentValue is what was typed as a JSON value.
func (at place) sentValue(f resource.Field, text string) (value any, problem string) {
	switch f.Kind {
	case resource.Bool:
		return text == "true", ""
	case resource.Number:
		n, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, "write a number."
		}
		return n, ""
	case resource.Lines:
		list := []any{}
		for _, line := range lines(text) {
			if f.Wrap != "" {
				list = append(list, map[string]any{f.Wrap: line})
			} else {
				list = append(list, line)
			}
		}
		return list, ""
	case resource.Time:
		if text == "" {
			return nil, ""
		}
		t, ok := at.parseInputTime(text)
		if !ok {
			return nil, "choose a date and a time."
		}
		return t.Format(time.RFC3339), ""
	case resource.JSON:
		if json.Unmarshal([]byte(text), &value) != nil {
			return nil, "write JSON."
		}
		return value, ""
	default:
		return text, ""
	}
}

// sentText is what was typed as a parameter.
func (at place) sentText(f resource.Field, text string) string {
	if t, ok := at.parseInputTime(text); ok {
		switch f.Kind {
		case resource.Unix:
			return strconv.FormatInt(t.Unix(), 10)
		case resource.Time:
			return t.Format(time.RFC3339)
		default: // a text that looks like a time
		}
	}
	return text
}

// typedText is a value of an item as its field shows it.
func (at place) typedText(f resource.Field, item any) string {
	pointer := f.From
	if pointer == "" {
		pointer = "/" + f.Name
	}
	value, _ := wire.Lookup(item, pointer)
	switch f.Kind {
	case resource.Time:
		if t := timeOf(value); !t.IsZero() {
			return inputText(t.In(at.zone))
		}
		return ""
	case resource.Lines:
		list, _ := value.([]any)
		var out []string
		for _, inner := range list {
			if object, ok := inner.(map[string]any); ok && f.Wrap != "" {
				inner = object[f.Wrap]
			}
			out = append(out, textOf(inner))
		}
		return strings.Join(out, "\n")
	case resource.Choice:
		if b, ok := value.(bool); ok && len(f.Options) == 2 && f.Options[0] == "yes" {
			return map[bool]string{true: "yes", false: "no"}[b]
		}
	default: // the text as it is
	}
	return strings.TrimSpace(textOf(value))
}

// filledText is the value of the parameter that a text consists of, as in {id}, or else the text.
func filledText(text string, values url.Values) string {
	if named := resource.Parameters(text); len(named) == 1 && text == "{"+named[0]+"}" {
		return values.Get(named[0])
	}
	return text
}
