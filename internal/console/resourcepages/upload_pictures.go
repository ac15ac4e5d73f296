package resourcepages

import (
	"net/http"
	"slices"
	"strings"

	"stoa.dev/stoa/internal/platform/resource"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

// pictureField is the name of the button that puts a picture into a text, and what the
// names of the files begin with.
const (
	pictureField = "console_picture"
	picturePart  = "p:"
	saysPart     = "says:"
)

func takesPictures(a resource.Action) bool {
	return slices.ContainsFunc(a.Fields, func(f resource.Field) bool { return !f.Picture.None() })
}

// addPictures uploads the pictures that came with a form and puts the text that shows
// each one at the end of its field. The problem says why one was refused.
func (p *Pages) addPictures(v Visit, at place, a resource.Action) (problem string, err error) {
	for _, f := range a.Fields {
		content := v.Files[picturePart+f.Name]
		if f.Picture.None() {
			continue
		}
		if len(content) == 0 {
			if v.Values.Get(pictureField) == f.Name {
				return "Choose a picture first: a PNG, JPEG or GIF file.", nil
			}
			continue
		}
		n := slices.IndexFunc(at.module.Routes, func(r route.Route) bool { return r.Name == f.Picture.Operation })
		made, err := p.sendAs(v, at.module, http.MethodPost, at.module.Routes[n].Pattern, "application/octet-stream", content)
		if err != nil {
			return "", err
		}
		if made.failed() {
			why := strings.TrimSuffix(errorText(made), ".")
			return "The picture was not taken: " + why + ". Choose a PNG, JPEG or GIF file.", nil
		}
		reference, _ := wire.Lookup(made.Value, f.PictureMember)
		text := strings.TrimRight(v.Values.Get("f:"+f.Name), " \r\n")
		if text != "" {
			text += "\n\n"
		}
		shown := textOf(reference)
		if says := strings.Join(strings.Fields(v.Values.Get(saysPart+f.Name)), " "); says != "" {
			_, rest, _ := strings.Cut(shown, "](")
			shown = "![" + strings.NewReplacer("[", "(", "]", ")").Replace(says) + "](" + rest
		}
		v.Values.Set("f:"+f.Name, text+shown+"\n")
	}
	return "", nil
}
