package page

import (
	"net/url"
	"strconv"
	"strings"
)

// Link builds the Link header (RFC 8288) of one page out of total rows. u is
// the request's URL, absolute or relative; its other query parameters are kept
// as they were sent, in their order. "prev" and "next" appear only where there
// is such a page.
func (b Bounds) Link(u *url.URL, n Numbers, total int64) string {
	last := n.Last(total)
	at := int64(n.Page)
	var out strings.Builder
	out.Grow(4 * (len(u.Path) + len(u.RawQuery) + 48))
	rel := func(page int64, name string) {
		if out.Len() > 0 {
			out.WriteString(", ")
		}
		out.WriteByte('<')
		out.WriteString(b.pageURL(u, page, n.Size))
		out.WriteString(`>; rel="`)
		out.WriteString(name)
		out.WriteByte('"')
	}
	rel(1, "first")
	if at > 1 {
		// A page beyond the end points back to the last one that has rows.
		rel(min(at-1, last), "prev")
	}
	if at < last {
		rel(at+1, "next")
	}
	rel(last, "last")
	return out.String()
}

// pageURL is u with the two paging parameters replaced. The rest of the query
// is copied as text: decoding and encoding it again would reorder it.
func (b Bounds) pageURL(u *url.URL, page int64, size int) string {
	var q strings.Builder
	q.Grow(len(u.RawQuery) + 32)
	for part := range strings.SplitSeq(u.RawQuery, "&") {
		name, _, _ := strings.Cut(part, "=")
		if plain, err := url.QueryUnescape(name); err == nil {
			name = plain
		}
		if part == "" || name == b.PageName || name == b.SizeName {
			continue
		}
		q.WriteString(linkSafe(part))
		q.WriteByte('&')
	}
	q.WriteString(url.QueryEscape(b.PageName))
	q.WriteByte('=')
	q.WriteString(strconv.FormatInt(page, 10))
	q.WriteByte('&')
	q.WriteString(url.QueryEscape(b.SizeName))
	q.WriteByte('=')
	q.WriteString(strconv.Itoa(size))

	to := *u
	to.RawQuery = q.String()
	to.Fragment, to.RawFragment, to.User = "", "", nil
	return linkSafe(to.String())
}

// linkSafe escapes the characters that would end the URL inside a Link header.
func linkSafe(s string) string {
	if !strings.ContainsAny(s, "<>\"\r\n ") {
		return s
	}
	return strings.NewReplacer("<", "%3C", ">", "%3E", `"`, "%22", "\r", "%0D", "\n", "%0A", " ", "%20").Replace(s)
}
