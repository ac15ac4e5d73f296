// Command picture draws docs/terminal.svg, the picture of README.md: it runs the
// commands of a story in a world of the binary and draws what they print.
//
//	go run ./tools/picture bin/stoa
package main

import (
	"context"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// step is one line that is typed, and the command that it stands for.
type step struct{ typed, command string }

func story() []step {
	curl := `curl -s -o /dev/null -w '%{http_code}\n' -H "Authorization: Bearer $STOA_TOKEN" $STOA_URL/repos/$STOA_REPO/events`
	return []step{
		{"stoa fault add $STOA_WORLD --operation list_repo_events --deed secondary_rate_limit --first 1", ""},
		{`curl -s -H "Authorization: Bearer $STOA_TOKEN" $STOA_URL/repos/$STOA_REPO/events`, ""},
		{"stoa clock advance $STOA_WORLD --by 1h", `stoa clock advance $STOA_WORLD --by 1h | grep -E '^(from|to|left)'`},
		{curl, ""},
		{"stoa expect $STOA_WORLD --operation list_repo_events --exactly 2 --no-closer-than 1m", ""},
		{"stoa conduct $STOA_WORLD", `stoa conduct $STOA_WORLD | head -4`},
	}
}

// width and lines bound what is drawn of an answer.
const (
	width    = 104
	maxLines = 4
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: picture BINARY")
		os.Exit(2)
	}
	if err := draw(os.Args[1], filepath.Join("docs", "terminal.svg")); err != nil {
		fmt.Fprintln(os.Stderr, "picture:", err)
		os.Exit(1)
	}
}

func draw(binary, to string) error {
	binary, err := filepath.Abs(binary)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "picture")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	// The commands call it by its name.
	if err := os.Symlink(binary, filepath.Join(folder, "stoa")); err != nil {
		return err
	}
	const mark = "=== next ==="
	var script strings.Builder
	script.WriteString("export PATH=" + folder + ":$PATH\n")
	for _, s := range story() {
		command := s.command
		if command == "" {
			command = s.typed
		}
		fmt.Fprintf(&script, "{ %s; } 2>&1 || true\necho; echo '%s'\n", command, mark)
	}
	out, err := exec.CommandContext(context.Background(), binary, "exec", "--clock", "2026-03-01T09:00:00Z", "--seed", "1",
		"--", "sh", "-c", script.String()).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	answers := strings.Split(string(out), mark+"\n")
	lines := []line{{"$ ", "stoa exec --clock 2026-03-01T09:00:00Z -- sh", true}}
	for i, s := range story() {
		lines = append(lines, line{"> ", s.typed, true})
		for _, text := range shorten(answers[i]) {
			lines = append(lines, line{"", text, false})
		}
	}
	return os.WriteFile(to, []byte(svg(lines)), 0o644) //nolint:gosec // a picture of the repository
}

// shorten keeps the lines that are not empty, and the beginning of long ones.
func shorten(answer string) []string {
	var out []string
	for text := range strings.Lines(answer) {
		if text = strings.TrimRight(text, " \n"); text == "" {
			continue
		}
		if utf8.RuneCountInString(text) > width {
			text = string([]rune(text)[:width-1]) + "…"
		}
		out = append(out, text)
	}
	if len(out) > maxLines {
		out = append(out[:maxLines-1], "…")
	}
	return out
}

type line struct {
	prompt, text string
	typed        bool
}

const lineHeight = 20

// svg draws a window of a terminal. Its colours suit light and dark pages.
func svg(lines []line) string {
	height := 56 + len(lines)*lineHeight
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 900 %d" role="img" aria-label="A terminal">
<rect width="900" height="%d" rx="10" fill="#1b1f1d"/>
<circle cx="22" cy="20" r="6" fill="#e0695a"/><circle cx="42" cy="20" r="6" fill="#e3b25b"/><circle cx="62" cy="20" r="6" fill="#6fb98f"/>
<g font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="13.4" xml:space="preserve">
`, height, height)
	for i, l := range lines {
		y := 54 + i*lineHeight
		if l.typed {
			text := l.text
			if utf8.RuneCountInString(text) > width {
				text = string([]rune(text)[:width-1]) + "…"
			}
			fmt.Fprintf(&b, "<text x=\"20\" y=\"%d\"><tspan fill=\"#7fc7b2\">%s</tspan><tspan fill=\"#f0ede7\">%s</tspan></text>\n",
				y, html.EscapeString(l.prompt), html.EscapeString(text))
			continue
		}
		fmt.Fprintf(&b, "<text x=\"36\" y=\"%d\" fill=\"#b3aea5\">%s</text>\n", y, html.EscapeString(l.text))
	}
	b.WriteString("</g>\n</svg>\n")
	return b.String()
}
