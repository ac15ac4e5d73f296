package pypi

import (
	"cmp"
	"errors"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// version is a PEP 440 version taken apart, so that comparing is cheap.
type version struct {
	text    string
	epoch   int
	release []int
	// pre, post and dev are the order of the suffixes: math.MinInt stands
	// before every number, math.MaxInt after.
	preKind, pre, post, dev int
	local                   []string
}

var versionForm = regexp.MustCompile(`^\s*v?(?:(\d+)!)?(\d+(?:\.\d+)*)` +
	`(?:[-_.]?(alpha|a|beta|b|preview|pre|c|rc)[-_.]?(\d*))?` +
	`(-\d+|[-_.]?(?:post|rev|r)[-_.]?\d*)?` +
	`(?:[-_.]?(dev)[-_.]?(\d*))?(?:\+([a-z0-9]+(?:[-_.][a-z0-9]+)*))?\s*$`)

var errVersion = errors.New("this is not a version")

// maxVersion bounds a version before it is matched.
const maxVersion = 256

func parseVersion(text string) (version, error) {
	if len(text) > maxVersion {
		return version{}, errVersion
	}
	m := versionForm.FindStringSubmatch(strings.ToLower(text))
	if m == nil {
		return version{}, errVersion
	}
	v := version{text: text, epoch: number(m[1]), pre: math.MaxInt, post: math.MinInt, dev: math.MaxInt}
	for part := range strings.SplitSeq(m[2], ".") {
		v.release = append(v.release, number(part))
	}
	switch m[3] {
	case "a", "alpha":
		v.preKind, v.pre = 1, number(m[4])
	case "b", "beta":
		v.preKind, v.pre = 2, number(m[4])
	case "c", "rc", "pre", "preview":
		v.preKind, v.pre = 3, number(m[4])
	default:
		v.preKind = 4
	}
	if m[5] != "" {
		v.post = number(strings.TrimLeft(m[5], "-_.abcdefghijklmnopqrstuvwxyz"))
	}
	if m[6] != "" {
		v.dev = number(m[7])
		if m[3] == "" && m[5] == "" {
			// A development release comes before every pre-release.
			v.preKind = 0
		}
	}
	if m[8] != "" {
		v.local = strings.FieldsFunc(m[8], func(r rune) bool { return strings.ContainsRune("-_.", r) })
	}
	return v, nil
}

// number reads digits; what is longer than a number holds counts as the
// greatest.
func number(text string) int {
	if text == "" {
		return 0
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return math.MaxInt - 1
	}
	return n
}

// isPre reports whether pip takes the version only where it is asked for.
func (v *version) isPre() bool { return v.preKind < 4 || v.dev != math.MaxInt }

func (v *version) segment(i int) int {
	if i < len(v.release) {
		return v.release[i]
	}
	return 0
}

func compareRelease(a, b *version) int {
	for i := range max(len(a.release), len(b.release)) {
		if c := cmp.Compare(a.segment(i), b.segment(i)); c != 0 {
			return c
		}
	}
	return 0
}

// comparePublic orders versions without their local part.
func comparePublic(a, b *version) int {
	return cmp.Or(cmp.Compare(a.epoch, b.epoch), compareRelease(a, b), cmp.Compare(a.preKind, b.preKind),
		cmp.Compare(a.pre, b.pre), cmp.Compare(a.post, b.post), cmp.Compare(a.dev, b.dev))
}

func compare(a, b *version) int {
	if c := comparePublic(a, b); c != 0 {
		return c
	}
	for i := range min(len(a.local), len(b.local)) {
		x, errX := strconv.Atoi(a.local[i])
		y, errY := strconv.Atoi(b.local[i])
		c := 0
		switch {
		case errX == nil && errY == nil:
			c = cmp.Compare(x, y)
		case errX == nil:
			c = 1 // a number is greater than letters
		case errY == nil:
			c = -1
		default:
			c = cmp.Compare(a.local[i], b.local[i])
		}
		if c != 0 {
			return c
		}
	}
	return cmp.Compare(len(a.local), len(b.local))
}

func sameRelease(a, b *version) bool { return a.epoch == b.epoch && compareRelease(a, b) == 0 }
