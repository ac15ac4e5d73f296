package cli

import (
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

// TestEveryHelpHasAnExample also finds an example of a command that is gone, and one
// that its command would refuse.
func TestEveryHelpHasAnExample(t *testing.T) {
	t.Parallel()
	p := &Program{Stdout: &strings.Builder{}, Stderr: &strings.Builder{}}
	root := p.root()
	shown := 0
	eachCommand(root, func(c *cobra.Command) {
		if c.HasSubCommands() && c.Example != "" {
			t.Errorf("%s is a command and a group of commands: rename one", c.CommandPath())
		}
		if c.HasSubCommands() || c.Hidden || c.Name() == "help" {
			return
		}
		if c.Example == "" {
			t.Errorf("%s has no example: add a line to examples.tsv", c.CommandPath())
		}
		for line := range strings.Lines(c.Example) {
			shown++
			checkExample(t, strings.TrimSpace(line), c.CommandPath())
			for _, word := range strings.Fields(line) {
				if len(word) > 1 && !strings.ContainsFunc(word, func(r rune) bool { return r < 'A' || r > 'Z' }) {
					t.Errorf("%q cannot be typed as it stands: give a value for %s", strings.TrimSpace(line), word)
				}
			}
		}
	})
	if listed := strings.Count("\n"+examples, "\n") - strings.Count("\n"+examples, "\n#") - 1; listed != shown {
		t.Errorf("examples.tsv has %d examples, %d are shown: one is of a command that there is not", listed, shown)
	}
}

// TestNoHelpIsRagged: in every help, at every width, a line is broken because the next word
// does not fit, and for no other reason.
func TestNoHelpIsRagged(t *testing.T) {
	t.Parallel()
	broken := 0
	for _, width := range []int{50, 80, 110} {
		var out strings.Builder
		root := (&Program{Stdout: &out}).root()
		wrapHelp(root, width)
		eachCommand(root, func(c *cobra.Command) {
			out.Reset()
			if err := c.Help(); err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(out.String(), "\n")
			for i := range len(lines) - 1 {
				word, _, _ := strings.Cut(strings.TrimLeft(lines[i+1], " "), " ")
				if !goesOn(lines[i], lines[i+1]) {
					continue
				}
				broken++
				if utf8.RuneCountInString(lines[i])+1+utf8.RuneCountInString(word) <= width {
					t.Errorf("%s, width %d: %q has space for the beginning of %q", c.CommandPath(), width, lines[i], lines[i+1])
				}
			}
		})
	}
	if broken < 1000 {
		t.Errorf("only %d lines were broken", broken)
	}
}

// goesOn reports whether the second line is of the same text as the first: both of a paragraph, or
// the second below a description.
func goesOn(line, next string) bool {
	indent := len(next) - len(strings.TrimLeft(next, " "))
	if indent == 0 {
		return next != "" && line != "" && line[0] != ' '
	}
	return indent > 6 && indent < len(line) && line[0] == ' ' && line[indent-1] == ' ' && line[indent] != ' '
}

var call = regexp.MustCompile(`stoa ([^)|>]*)`)

func checkExample(t *testing.T, line, path string) {
	t.Helper()
	found := call.FindStringSubmatch(line)
	if found == nil {
		t.Errorf("%q does not call stoa", line)
		return
	}
	own, _, _ := strings.Cut(found[1], " -- ")
	p := &Program{}
	c, args, err := p.root().Find(strings.Fields(strings.NewReplacer(`"`, "", "Stoa Poikile", "Stoa", "Ada Lovelace", "Ada",
		"The painters", "Painters").Replace(own)))
	if err != nil || c.CommandPath() != path {
		t.Errorf("%q is of %s, not of %s: %v", line, c.CommandPath(), path, err)
		return
	}
	if err := c.ParseFlags(args); err != nil {
		t.Errorf("%q: %v", line, err)
		return
	}
	if c.Args != nil && c.Name() != "exec" {
		if err := c.Args(c, c.Flags().Args()); err != nil {
			t.Errorf("%q: %v", line, err)
		}
	}
}

// TestCommandsAreListedAlike: what a list says of a command begins with a capital letter and ends without a full stop.
func TestCommandsAreListedAlike(t *testing.T) {
	t.Parallel()
	p := &Program{Stdout: &strings.Builder{}, Stderr: &strings.Builder{}}
	eachCommand(p.root(), func(c *cobra.Command) {
		first, _ := utf8.DecodeRuneInString(c.Short)
		if !unicode.IsUpper(first) || strings.HasSuffix(c.Short, ".") {
			t.Errorf("%s is listed as %q", c.CommandPath(), c.Short)
		}
	})
}
