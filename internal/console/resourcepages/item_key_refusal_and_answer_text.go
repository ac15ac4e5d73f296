package resourcepages

import (
	"encoding/json"
	"net/url"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/console/drawing"
	"stoa.dev/stoa/internal/platform/resource"
	"stoa.dev/stoa/internal/platform/wire"
)

// keyOf are the parameters that name an item; false where a part is missing.
func keyOf(r resource.Resource, item any) (url.Values, bool) {
	key := url.Values{}
	for _, k := range r.Key {
		value, ok := wire.Lookup(item, k.Pointer)
		text := strings.TrimPrefix(textOf(value), k.Prefix)
		if !ok || text == "" {
			return nil, false
		}
		key.Set(k.Parameter, text)
	}
	return key, len(key) > 0
}

// labelOf is what pages call a thing that only its key is known of.
func labelOf(r resource.Resource, values url.Values) string {
	var parts []string
	for _, k := range r.Key {
		if value := values.Get(k.Parameter); value != "" {
			parts = append(parts, value)
		}
	}
	return drawing.Clip(strings.Join(parts, "/"), 48)
}

// errorText is what a refusal says, wherever the service's envelope has it. A message of one member
// says more than that of the whole, which may be no more than "Validation Failed".
func errorText(a answer) string {
	for _, pointer := range []string{
		"/error/message", "/errors/0/message", "/message", "/error_description", "/error", "/errors/0",
		"/meta/error_message", "/meta/message", "/meta/error/message", "/detail", "/details",
	} {
		if value, ok := wire.Lookup(a.Value, pointer); ok {
			if text, ok := value.(string); ok && text != "" {
				return text
			}
		}
	}
	if a.Value == nil && a.Text != "" {
		return drawing.Clip(a.Text, 400)
	}
	return "The service refused the request with status " + strconv.Itoa(a.Status) + "."
}

// pretty is an answer as text to read.
func pretty(a answer) string {
	if a.Value == nil {
		return drawing.Clip(a.Text, 20_000)
	}
	text, err := json.MarshalIndent(a.Value, "", "  ")
	if err != nil {
		return a.Text
	}
	return string(text)
}
