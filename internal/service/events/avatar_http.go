package events

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/platform/route"
)

// avatarSide is how many squares a picture is wide and high.
const avatarSide = 5

// handleAvatar draws the picture of avatar_url: a pattern that depends on the number
// alone, so that it does not show which accounts exist.
func (s *Service) handleAvatar(w http.ResponseWriter, r *route.Request) error {
	return writeAvatar(w, r, "")
}

// handleOrgAvatar draws the picture of an organization: they are numbered apart from
// users, and look different.
func (s *Service) handleOrgAvatar(w http.ResponseWriter, r *route.Request) error {
	return writeAvatar(w, r, "org ")
}

func writeAvatar(w http.ResponseWriter, r *route.Request, kind string) error {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil || id < 0 {
		return route.ErrNoRoute
	}
	h := w.Header()
	h.Set("Content-Type", "image/svg+xml")
	h.Set("Cache-Control", "public, max-age=86400, immutable")
	h.Set("Content-Security-Policy", "default-src 'none'")
	_, err = w.Write([]byte(drawAvatar(kind, id)))
	return err
}

// drawAvatar mirrors the left columns to the right, so that a random pattern looks
// intended.
func drawAvatar(kind string, id int64) string {
	sum := sha256.Sum256(strconv.AppendInt([]byte(kind), id, 10))
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-1 -1 %d %d" width="140" height="140" `+
		`shape-rendering="crispEdges">`, avatarSide+2, avatarSide+2)
	fmt.Fprintf(&b, `<rect x="-1" y="-1" width="100%%" height="100%%" fill="#f0f0f0"/>`+
		`<g fill="hsl(%d 45%% 45%%)">`, int(sum[31])*360/256)
	for y := range avatarSide {
		for x := range avatarSide {
			if sum[y*avatarSide+min(x, avatarSide-1-x)]&1 == 1 {
				fmt.Fprintf(&b, `<rect x="%d" y="%d" width="1" height="1"/>`, x, y)
			}
		}
	}
	b.WriteString(`</g></svg>`)
	return b.String()
}
