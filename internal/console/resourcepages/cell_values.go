package resourcepages

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/resource"
	"stoa.dev/stoa/internal/platform/wire"
)

// cell is one value of a table or a list of members.
type cell struct {
	Title string
	Text  string
	Kind  resource.Kind
	// Time is set for times, Link for addresses that a browser may go to.
	Time time.Time
	Link string
	// Class colours states.
	Class string
}

// cellOf reads a column out of an item.
func (at place) cellOf(c resource.Column, item any) cell {
	value, ok := wire.Lookup(item, c.Pointer)
	if (!ok || value == nil || value == "") && c.Or != "" {
		value, _ = wire.Lookup(item, c.Or)
	}
	if c.Address != "" {
		value = at.base + fillPattern(c.Address, func(name string) string {
			member, _ := wire.Lookup(item, "/"+name)
			return textOf(member)
		})
	}
	out := cell{Title: c.Title, Kind: c.Kind, Text: textOf(value)}
	switch c.Kind {
	case resource.Time:
		if len(out.Text) != len(time.DateOnly) { // which is a whole day, in whatever zone
			out.Time = timeOf(value).In(at.zone)
		}
	case resource.Unix:
		if n, ok := value.(float64); ok && n > 0 {
			out.Time = time.Unix(int64(n), 0).In(at.zone)
		}
	case resource.Millis:
		if n, err := strconv.ParseInt(out.Text, 10, 64); err == nil && n > 0 {
			out.Time, out.Kind = time.UnixMilli(n).In(at.zone), resource.Time
		}
	case resource.Elapsed:
		if n, err := strconv.ParseInt(out.Text, 10, 64); err == nil {
			out.Text = (time.Duration(n) * time.Millisecond).Round(100 * time.Millisecond).String()
		}
	case resource.Bytes:
		if n, err := strconv.ParseFloat(out.Text, 64); err == nil {
			out.Text = bytesText(n)
		}
	case resource.Link:
		if strings.HasPrefix(out.Text, "https://") || strings.HasPrefix(out.Text, "http://") {
			out.Link = out.Text
		}
	case resource.State:
		out.Class = stateClass(out.Text)
	case resource.Bool:
		out.Text = map[bool]string{true: "yes", false: "no"}[value == true]
	default: // the text as it is
	}
	return out
}

// stateClass colours the words that services have for how things stand.
func stateClass(word string) string {
	switch strings.ToLower(word) {
	case "dead", "failed", "error", "timedout", "infrastructure_fail", "destroyed", "canceled", "cancelled", "disabled":
		return "bad"
	case "running", "pending", "queued", "scheduled", "waiting", "needsaction", "open", "processing", "on_hold",
		"tentative":
		return "wait"
	}
	return "fine"
}

// textOf is a JSON value as a line of text.
func textOf(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case []any:
		var words []string
		for _, inner := range v {
			if object, ok := inner.(map[string]any); ok {
				inner = named(object)
			}
			words = append(words, textOf(inner))
		}
		return strings.Join(words, ", ")
	}
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(text)
}

func timeOf(value any) time.Time {
	text, _ := value.(string)
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05-0700", "2006-01-02T15:04:05", time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC()
		}
	}
	return time.Time{}
}

func bytesText(n float64) string {
	units := []string{"bytes", "kB", "MB", "GB", "TB"}
	i := 0
	for n >= 1000 && i < len(units)-1 {
		n /= 1000
		i++
	}
	if i == 0 {
		return strconv.FormatFloat(n, 'f', 0, 64) + " bytes"
	}
	return strconv.FormatFloat(n, 'f', 1, 64) + " " + units[i]
}

// named is the name of an object, or its id where it has nothing else.
func named(object map[string]any) any {
	switch {
	case object["name"] != nil:
		return object["name"]
	case object["id"] != nil && len(object) == 1:
		return object["id"]
	}
	return object
}
