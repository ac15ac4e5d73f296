package output

import (
	"strings"
	"testing"
)

func TestTablesFitTheTerminal(t *testing.T) {
	t.Parallel()
	in := `[{"id":"a","address":"https://example.com/a/very/long/address/of/a/receiver","state":"failed",` +
		`"created":"2026-03-01T09:00:00.123456Z","duration":3629000},` +
		`{"id":"b","address":"https://example.com/","state":"sent","created":"2026-03-01T09:00:05Z","duration":95000000000}]`
	for width, want := range map[int]string{
		0: "ID  ADDRESS                                             STATE   CREATED               DURATION\n" +
			"a   https://example.com/a/very/long/address/of/a/receiver  failed  2026-03-01T09:00:00Z  3.63ms\n",
		64: "ID        a\nADDRESS   https://example.com/a/very/long/address/of/a/receiver\n" +
			"STATE     failed\nCREATED   2026-03-01 09:00:00\nDURATION  3.63ms\n",
		100: "a   https://example.com/a/very/long/address/of/a/receiver  failed  2026-03-01 09:00:00  3.63ms\n",
	} {
		var got strings.Builder
		if err := (Look{Width: width}).Write(&got, []byte(in)); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(want) {
			if !strings.Contains(squeeze(got.String()), squeeze(line)) {
				t.Errorf("width %d: %q lacks %q", width, got.String(), line)
			}
		}
		for line := range strings.Lines(got.String()) {
			if n := len([]rune(strings.TrimRight(line, "\n"))); width > 0 && n > width {
				t.Errorf("a line has %d letters, want %d: %q", n, width, line)
			}
		}
		if !strings.Contains(got.String(), "1m35s") {
			t.Errorf("width %d: %q lacks 1m35s", width, got.String())
		}
	}
}

// squeeze makes one blank of many.
func squeeze(text string) string { return strings.Join(strings.Fields(text), " ") }

func TestColourIsForTerminals(t *testing.T) {
	t.Parallel()
	if got := (Look{Width: 80, Colour: true}).table([]string{"A"}, [][]string{{"1"}}); got != "\x1b[1mA\x1b[0m\n1\n" {
		t.Errorf("got %q", got)
	}
	if got := To(&strings.Builder{}, nil); got != (Look{}) {
		t.Errorf("a builder is not a terminal: %v", got)
	}
}

// TestTimesInObjects: a time within an object has no more digits than one beside it.
func TestTimesInObjects(t *testing.T) {
	t.Parallel()
	in := `{"clock":{"mode":"real","now":"2026-11-18T04:50:27.209694437Z","rate":1}}`
	for width, want := range map[int]string{
		0: "clock  mode real, now 2026-11-18T04:50:27Z, rate 1\n", 80: "clock  mode real, now 2026-11-18 04:50:27, rate 1\n",
	} {
		var got strings.Builder
		if err := (Look{Width: width}).Write(&got, []byte(in)); err != nil || got.String() != want {
			t.Errorf("width %d: %q, %v; want %q", width, got.String(), err, want)
		}
	}
}

// TestNarrowTerminals: a table with more columns than fit is shown row below row, and no line is longer than the
// terminal.
func TestNarrowTerminals(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("word ", 200)
	in := `{"entries":[{"id":1,"user_id":2,"key_id":7,"model":"stoa-script","request":{"contents":[{"parts":[{"text":"` +
		long + `"}]}]},"response":{"text":"` + long + `"},"created_at":"2026-03-01T09:00:00Z","expires_at":"2026-04-01T09:00:00Z"},` +
		`{"id":0,"user_id":2,"key_id":7,"model":"m","request":{},"response":{},"created_at":"","expires_at":""}]}`
	for _, width := range []int{20, 40, 70, 80, 200} {
		var got strings.Builder
		if err := (Look{Width: width}).Write(&got, []byte(in)); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(got.String()) {
			if n := len([]rune(strings.TrimRight(line, "\n"))); n > width {
				t.Errorf("width %d: a line has %d letters: %q", width, n, line)
			}
		}
		if n := strings.Count(got.String(), "word"); n != 400 || strings.Count(got.String(), "MODEL") != 2 {
			t.Errorf("width %d: %d of 400 words\n%s", width, n, got.String())
		}
	}
}

// TestMembersFitTheTerminal: lines of a name and a value are as narrow as tables are.
func TestMembersFitTheTerminal(t *testing.T) {
	t.Parallel()
	address := "https://example.com/" + strings.Repeat("a", 40)
	in := `{"id":"17","reason":"` + strings.Repeat("word ", 30) + `","address":"` + address + `","limiter":{"rule":"` +
		strings.Repeat("long ", 30) + `","left":3},"ok":true}`
	for _, width := range []int{0, 12, 30, 50, 80, 300} {
		var got strings.Builder
		if err := (Look{Width: width}).Write(&got, []byte(in)); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(got.String()) {
			if n := len([]rune(strings.TrimRight(line, "\n"))); width > 0 && n > width {
				t.Errorf("width %d: a line has %d letters: %q", width, n, line)
			}
		}
		whole := strings.NewReplacer("\n", "", " ", "").Replace(got.String())
		if strings.Count(whole, "word") != 30 || strings.Count(whole, "long") != 30 || !strings.Contains(whole, address) {
			t.Errorf("width %d: something is lost:\n%s", width, got.String())
		}
	}
	var got strings.Builder
	if err := (Look{Width: 24}).Write(&got, []byte(`{"id":"17","reason":"one two three four"}`)); err != nil {
		t.Fatal(err)
	}
	if want := "id      17\nreason\n  one two three four\n"; got.String() != want {
		t.Errorf("got %q, want %q", got.String(), want)
	}
}
