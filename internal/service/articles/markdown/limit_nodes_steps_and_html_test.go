package markdown

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/budget"
)

// bombs are small texts that would become large trees or much HTML, by name.
func bombs() map[string]string {
	repeat := func(piece string, bytes int) string { return strings.Repeat(piece, bytes/len(piece)) }
	numbered := func(format string, bytes int) string {
		var b strings.Builder
		for n := 0; b.Len() < bytes; n++ {
			fmt.Fprintf(&b, format, n)
		}
		return b.String()
	}
	table := func(columns, rows int) string {
		return strings.Repeat("|a", columns) + "|\n" + strings.Repeat("|-", columns) + "|\n" + strings.Repeat("|\n",
			rows)
	}
	mega := 1<<20 - 1024
	if raceEnabled {
		mega = 1 << 15
	}
	address := "https://a.example/" + strings.Repeat("a", 1<<19)
	return map[string]string{
		"a wide and long table":  table(2_000, 4_000),
		"the largest table":      table(200_000, 200_000),
		"a table in a quotation": "> " + strings.ReplaceAll(table(1_000, 2_000), "\n", "\n> "),
		"a table in a list":      "- " + strings.ReplaceAll(table(1_000, 2_000), "\n", "\n  "),
		"a table in a note":      ":::note\n" + table(1_000, 2_000) + ":::\n",
		"a table in a footnote":  "a[^1]\n\n[^1]: " + strings.ReplaceAll(table(1_000, 2_000), "\n", "\n    "),
		"a table without outer bars": repeat("a|", 4_000) + "a\n" + repeat("-|", 4_000) + "-\n" + repeat("a|\n",
			12_000),
		"many tables":                   repeat(table(50, 100)+"\n", mega),
		"a table below a paragraph":     repeat("a\n", 1_000) + table(1_000, 2_000),
		"escaped bars in code in cells": "|a|\n|-|\n" + repeat("|`\\|`\n", mega),
		"a reference to a long address": "[a]: " + address + "\n\n" + repeat("[a]\n\n", 400_000),
		"a reference to a long title":   "[a]: b '" + strings.Repeat("t", 1<<19) + "'\n\n" + repeat("[a]\n\n", 400_000),
		"many references":               numbered("[%d]: /a\n", mega),
		"many references apart":         numbered("[%d]: /a\n\n", mega),
		"many references used":          numbered("[%d]: /a\n", mega/2) + "\n" + numbered("[%d]\n\n", mega/2),
		"a footnote named often":        repeat("[^1]\n\n", mega) + "[^1]: a",
		"emphasis":                      repeat("*a*\n\n", mega),
		"struck":                        repeat("~~a~~\n\n", mega),
		"open emphasis":                 repeat("*a _b ", mega),
		"quotations":                    repeat("> > > > > > > > > a\n\n", mega),
		"bullets":                       repeat("- \n", mega),
		"nested bullets":                repeat("- - - - - - - -\n", mega),
		"numbers":                       repeat("1. a\n", mega),
		"headings":                      repeat("#\n", mega),
		"headings below":                repeat("a\n=\n", mega),
		"rules":                         repeat("***\n", mega),
		"lines":                         repeat("a\n", mega),
		"hard breaks":                   repeat("a\\\n", mega),
		"paragraphs":                    repeat("a\n\n", mega),
		"entities":                      repeat("&amp;", mega),
		"nameless entities":             repeat("&", mega),
		"quotes":                        repeat(`"`, mega),
		"emoji":                         repeat(":+1:", mega),
		"colons":                        repeat(":a", mega),
		"mentions":                      repeat("@ab ", mega),
		"formulas":                      repeat("$a$ ", mega),
		"dollars":                       repeat("$`", mega),
		"addresses":                     repeat("http://a.b ", mega),
		"mail addresses":                repeat("a@b.c ", mega),
		"one address":                   "http://a.b/" + repeat("a.", mega),
		"at signs":                      repeat("a@", mega),
		"dots":                          repeat("www.", mega),
		"code spans":                    repeat("`a` ", mega),
		"open code spans": numbered("%[1]d", 10) + func() string {
			b := ""
			for n := range 1_200 {
				b += strings.Repeat("`", n) + " "
			}
			return b
		}(),
		"backticks":                      repeat("` `` ``` ```` ", mega),
		"tags":                           repeat("<b>", mega),
		"open tags":                      repeat("<a ", mega),
		"open comments":                  "a " + repeat("<!-- ", mega),
		"open instructions":              "a " + repeat("<? ", mega),
		"open declarations":              "a " + repeat("<!A ", mega),
		"open character data":            "a " + repeat("<![CDATA[", mega),
		"attributes":                     "<b" + repeat(" x", mega) + ">",
		"attributes in a block":          "<div" + repeat(" title=a", mega) + ">",
		"attributes within a line":       "a <b" + repeat(" x", mega) + ">",
		"links in HTML":                  repeat("<a href=//a>", mega),
		"pictures in HTML":               repeat("<img src=a>", mega),
		"elements in HTML":               "<div>\n" + repeat("<i>", mega),
		"elements whose text is dropped": "<div>\n" + repeat("<script>", mega),
		"fences":                         repeat("```\n```\n", mega),
		"fences with a language":         repeat("```go\n{\n```\n", mega),
		"dense code":                     repeat("```go\n"+repeat("{", 60_000)+"\n```\n", mega),
		"dense code in JSON":             repeat("```json\n"+repeat("[1,", 60_000)+"\n```\n", mega),
		"code in Markdown in code":       "```md\n" + repeat("*a* ", 60_000) + "\n```\n",
		"code in HTML":                   "````html\n" + repeat("<script>a</script>", 60_000) + "\n````\n",
		"a long language":                "```" + repeat("*.", mega) + "\na\n```\n",
		"many unknown languages":         numbered("```%d.x\n```\n", mega),
		"indented code":                  repeat("    a\n\n", mega),
		"notes":                          repeat(":::note\n:::\n", mega),
		"task lists":                     repeat("- [ ] a\n", mega),
		"one long heading":               "# " + repeat("a ", mega),
		"the same heading":               repeat("# "+strings.Repeat("a", 90)+"\n", mega),
		"brackets":                       repeat("[]", mega),
		"closing brackets":               repeat("]", mega),
		"links":                          repeat("[a](b)\n\n", mega),
		"open links":                     repeat("[a](<b\n\n", mega),
		"pictures":                       repeat("![a](b)\n\n", mega),
		"backslashes":                    repeat("\\a", mega),
		"blanks":                         repeat(" ", mega),
		"tabs":                           "-" + repeat("\t", mega) + "a",
		"lines that end in blanks":       repeat("a  \n", mega),
	}
}

// The largest rendering may allocate this much in all, garbage included, and hold this much of the
// process's memory at once.
const (
	maxAllocated = 512 << 20
	// Lexers make garbage for as long as colouring may take.
	maxGarbage = 8 << 30
	maxHeld    = 128 << 20
)

// TestBombs: whatever a text is, what becomes of it stays within bounds, and
// a refusal says why.
// It measures what the process allocates, so it runs alone.
func TestBombs(t *testing.T) {
	pool := budget.New(budget.Options{Name: "memory", Total: maxHeld})
	m := newRenderer(pool)
	for name, text := range bombs() {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			began := time.Now()
			out, err := render(m, text)
			took := time.Since(began)
			runtime.ReadMemStats(&after)
			allocated := after.TotalAlloc - before.TotalAlloc
			t.Logf("%7d bytes: %4d MB, %s, %d bytes, %v", len(text), allocated>>20, took.Round(time.Millisecond),
				len(out), err)
			var refused *ComplexityError
			if err != nil && !(errors.As(err, &refused) && refused.Reason != "") {
				var steps *budget.StepsError
				if !errors.As(err, &steps) {
					t.Errorf("err = %v, want a refusal with a reason", err)
				}
			}
			limit := uint64(maxAllocated)
			if raceEnabled {
				limit *= 2
			}
			if strings.Contains(text, "```") {
				limit = maxGarbage
			}
			if allocated > limit || len(out) > maxRendered {
				t.Errorf("%d MB, %d bytes of HTML, want less than %d MB, %d bytes",
					allocated>>20, len(out), limit>>20, maxRendered)
			}
			if pool.Used() != 0 || m.slots.Used() != 0 {
				t.Errorf("%d bytes and %d slots are still held", pool.Used(), m.slots.Used())
			}
		})
	}
}
