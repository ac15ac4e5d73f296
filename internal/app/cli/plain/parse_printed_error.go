package plain

import "strings"

// PrintedError is the message and the next step of the error that ends the output of a run of this program, each in
// one line: what goes on below the message is indented where it is the next step.
func PrintedError(output []byte) (message, next string) {
	text := "\n" + string(output)
	i := strings.LastIndex(text, "\nstoa: ")
	if i < 0 {
		return "without a word", ""
	}
	var said, steps []string
	for line := range strings.Lines(strings.TrimPrefix(text[i:], "\nstoa: ")) {
		if strings.HasPrefix(line, "      ") {
			steps = append(steps, strings.TrimSpace(line))
		} else {
			said = append(said, strings.TrimSpace(line))
		}
	}
	return strings.Join(said, " "), strings.Join(steps, " ")
}
