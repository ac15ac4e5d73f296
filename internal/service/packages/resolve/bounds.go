package resolve

import "stoa.dev/stoa/internal/platform/budget"

const (
	// maxSteps bounds one resolution: versions looked at, and 64 bytes of
	// documents each.
	maxSteps = 2_000_000
	stepSize = 64
	// maxText bounds a text of a document. The libraries read requirements and
	// markers with a recursion for each parenthesis, and a stack that overflows
	// ends the process.
	maxText = 16 << 10
)

// inspect refuses a document before it is decoded: it spends steps for its
// length, and no text in it is longer than a requirement is.
func inspect(doc []byte, steps *budget.Steps) error {
	if err := steps.Take(int64(len(doc))/stepSize + 1); err != nil {
		return err
	}
	for i := 0; i < len(doc); i++ {
		if doc[i] != '"' {
			continue
		}
		start := i
		for i++; i < len(doc) && doc[i] != '"'; i++ {
			if doc[i] == '\\' {
				i++
			}
		}
		if i-start > maxText {
			return errText
		}
	}
	return nil
}
