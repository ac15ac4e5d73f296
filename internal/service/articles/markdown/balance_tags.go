package markdown

import (
	"errors"
	"io"
	"strings"

	"golang.org/x/net/html"
)

// balancer closes what a text's own HTML leaves open and drops what would close
// something of the page around it. Items that stand in no list lose their tag:
// screen readers announce a list that is not there.
type balancer struct {
	out  io.StringWriter
	open []string       // names of the open elements
	many map[string]int // how often each name is among them
}

// balance writes cleaned HTML with every element closed within itself.
func balance(out io.StringWriter, clean string) error {
	b := &balancer{out: out, many: map[string]int{}}
	tokens := html.NewTokenizer(strings.NewReader(clean))
	for {
		kind := tokens.Next()
		if kind == html.ErrorToken {
			if err := tokens.Err(); !errors.Is(err, io.EOF) {
				return err
			}
			return b.closeDown(0)
		}
		raw := string(tokens.Raw())
		name, _ := tokens.TagName()
		if err := b.token(kind, string(name), raw); err != nil {
			return err
		}
	}
}

func (b *balancer) token(kind html.TokenType, name, raw string) error {
	switch {
	case (kind == html.StartTagToken || kind == html.SelfClosingTagToken) && !isVoid(name):
		return b.start(name, raw) // browsers do not close <div/> either
	case kind == html.EndTagToken && !isVoid(name):
		return b.end(name)
	}
	_, err := b.out.WriteString(raw)
	return err
}

func (b *balancer) start(name, raw string) error {
	if list := listOf(name); list != "" {
		// An item ends where the next one begins.
		if listOf(b.last()) == list {
			if err := b.closeDown(len(b.open) - 1); err != nil {
				return err
			}
		}
		if last := b.last(); last != list && (last != "ol" || list != "ul") {
			return nil
		}
	}
	b.open = append(b.open, name)
	b.many[name]++
	_, err := b.out.WriteString(raw)
	return err
}

// end closes the nearest element of a name and all that stands open in it.
func (b *balancer) end(name string) error {
	if b.many[name] == 0 {
		return nil
	}
	at := len(b.open) - 1
	for b.open[at] != name {
		at--
	}
	return b.closeDown(at)
}

func (b *balancer) closeDown(to int) error {
	for len(b.open) > to {
		name := b.last()
		b.open = b.open[:len(b.open)-1]
		b.many[name]--
		if _, err := b.out.WriteString("</" + name + ">"); err != nil {
			return err
		}
	}
	return nil
}

func (b *balancer) last() string {
	if len(b.open) == 0 {
		return ""
	}
	return b.open[len(b.open)-1]
}

// listOf names the element that an item stands in, ul also for ol; empty for what
// is no item.
func listOf(name string) string {
	switch name {
	case "li":
		return "ul"
	case "dt", "dd":
		return "dl"
	}
	return ""
}

// isVoid reports whether an element of the allow-list has no end tag.
func isVoid(name string) bool {
	switch name {
	case "br", "hr", "img", "input", "wbr", "col", "area":
		return true
	}
	return false
}
