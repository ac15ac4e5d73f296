package execute

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
)

// Bounds of JUnit reports: of one, and of all that a job brings.
const (
	maxReport  = 32 << 20
	maxDepth   = 50
	maxWord    = 1 << 10
	maxMessage = 16 << 10
	maxReports = 10_000
	maxResults = 16 << 20
)

// budget is what is left of a job's test results.
type budget struct{ cases, bytes, reports int }

// storeTests reads every report below a path and hands the cases to the host.
func (n *node) storeTests(st *step) result {
	at := n.place(st.Tests.Path)
	left := &n.tests
	var cases []TestCase
	code, err := n.session.pull(pack(at), st.sink, func(r io.Reader) error {
		return walkArchive(r, maxEntries, func(h *tar.Header, content io.Reader) error {
			if h.Typeflag != tar.TypeReg || !strings.HasSuffix(h.Name, ".xml") {
				return nil
			}
			if h.Size > maxReport {
				st.say(fmt.Sprintf("Left out, larger than %d bytes: %.300q", maxReport, "/"+h.Name))
				return nil
			}
			if left.reports--; left.reports < 0 {
				return fmt.Errorf("%w: more than %d reports", errBound, maxReports)
			}
			found, err := readJUnit(content, path.Base(h.Name), left)
			if errors.Is(err, errReport) {
				st.say(fmt.Sprintf("Left out, not a JUnit report: %.300q: %.1000v", "/"+h.Name, err))
				err = nil
			}
			cases = append(cases, found...)
			return err
		})
	})
	switch {
	case errors.Is(err, errGone):
		return n.ended()
	case err != nil:
		return n.hostResult(st, err)
	case code > 1:
		return result{outcome: Failed, code: code,
			reason: fmt.Sprintf("The reports could not be read: tar ended with code %d.", code)}
	}
	st.say(fmt.Sprintf("Found %d test cases.", len(cases)))
	if len(cases) == 0 {
		return result{outcome: Success}
	}
	return n.hostResult(st, n.host.Tests(n.ctx, cases))
}

// take counts cases and the bytes of their words.
func (b *budget) take(cases, bytes int) error {
	b.cases, b.bytes = b.cases-cases, b.bytes-bytes
	switch {
	case b.cases < 0:
		return fmt.Errorf("%w: too many test cases", errBound)
	case b.bytes < 0:
		return fmt.Errorf("%w: the test results of a job have more than %d MiB", errBound, maxResults>>20)
	}
	return nil
}
