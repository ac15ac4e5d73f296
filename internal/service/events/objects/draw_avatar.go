package objects

import (
	"crypto/sha256"
	"fmt"
	"strconv"
	"strings"
)

// avatarSide is how many squares a picture is wide and high.
const avatarSide = 5

// DrawAvatar mirrors the left columns to the right, so that a random pattern looks
// intended.
func DrawAvatar(kind string, id int64) string {
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
