package tokens

import (
	"reflect"

	"stoa.dev/stoa/internal/service/generate/api"
)

// RequestBytes is how many bytes of text RequestCounter.Contents would read at most, without media.
func RequestBytes(contents []api.Content, system *api.Content, tools []api.Tool) int {
	n := TextBytes(contents...) + textIn(reflect.ValueOf(tools))
	if system != nil {
		n += TextBytes(*system)
	}
	return n
}

// TextBytes is how many bytes of text contents have, without media.
func TextBytes(contents ...api.Content) (n int) {
	for _, c := range contents {
		for i := range c.Parts {
			n += partBytes(&c.Parts[i])
		}
	}
	return n
}

// partBytes follows RequestCounter.Part: what is neither text nor media weighs as much as its JSON.
func partBytes(p *api.Part) int {
	switch {
	case p.Text != nil:
		return len(*p.Text)
	case p.InlineData != nil && Modality(p.InlineData.MimeType) == "TEXT":
		return len(p.InlineData.Data)
	case p.InlineData != nil || p.FileData != nil:
		return 0
	}
	return textIn(reflect.ValueOf(p))
}

// textIn adds up the texts in a value, whatever its shape.
func textIn(v reflect.Value) (n int) {
	switch v.Kind() {
	case reflect.String:
		return v.Len()
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return textIn(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			n += textIn(v.Field(i))
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return v.Len() // JSON as it was sent
		}
		for i := range v.Len() {
			n += textIn(v.Index(i))
		}
	case reflect.Map:
		for i := v.MapRange(); i.Next(); {
			n += textIn(i.Key()) + textIn(i.Value())
		}
	}
	return n
}
