package strictjson

import (
	"bytes"
	"fmt"
	"testing"
)

// TestOneTextIsNotPaidByOthers scans an object with very many members: the memory
// for their names must not go on to those who use the scanner next, who would
// have to clear it.
func TestOneTextIsNotPaidByOthers(t *testing.T) {
	t.Parallel()
	var text bytes.Buffer
	for i := range 10 * keptNames {
		fmt.Fprintf(&text, `,"%d":0`, i)
	}
	text.Bytes()[0] = '{'
	text.WriteByte('}')
	for range 20 { // The pool may forget a scanner.
		if _, err := Scan(text.Bytes(), false, 0); err != nil {
			t.Fatal(err)
		}
		s := scanners.Get().(*scanner)
		if got := cap(s.names); got > keptNames {
			t.Fatalf("the next text finds capacity for %d names, want at most %d", got, keptNames)
		}
	}
}
