package program

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// DemoEnv reads the assignments that `serve --demo` leaves in the data folder.
func DemoEnv(data string) (map[string]string, error) {
	f, err := os.Open(filepath.Join(data, "demo.env"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	env := map[string]string{}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		line := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(lines.Text()), "export "))
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		if !ok {
			return nil, fmt.Errorf("demo.env: %q is not an assignment", line)
		}
		words, err := Words(value)
		if err != nil || len(words) > 1 {
			return nil, fmt.Errorf("demo.env: %s has a value the shell would split: %q", name, value)
		}
		env[name] = strings.Join(words, "")
	}
	return env, lines.Err()
}

// Words splits a line as a POSIX shell would: blanks separate, single and
// double quotes and the backslash protect. It is enough for printed examples.
func Words(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	started, quote, escaped := false, rune(0), false
	for _, c := range line {
		switch {
		case escaped:
			word.WriteRune(c)
			escaped = false
		case c == '\\' && quote != '\'':
			escaped, started = true, true
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(c)
		case c == '\'' || c == '"':
			quote, started = c, true
		case c == ' ' || c == '\t' || c == '\n':
			if started {
				words = append(words, word.String())
				word.Reset()
			}
			started = false
		default:
			word.WriteRune(c)
			started = true
		}
	}
	if quote != 0 || escaped {
		return nil, fmt.Errorf("unfinished quote in %q", line)
	}
	if started {
		words = append(words, word.String())
	}
	return words, nil
}
