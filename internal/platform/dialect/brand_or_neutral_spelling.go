package dialect

import (
	"cmp"
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

//go:embed words.tsv
var table string

// Modes of Load.
const (
	Neutral = "neutral"
	SDK     = "sdk"
)

// Dialect knows how every Word is spelt in one mode. It never changes and is safe for concurrent use.
type Dialect struct {
	sdk     bool
	neutral [wordCount]string
	says    [wordCount]string
	accepts [wordCount][]string
	members map[byte]Members
	// unread are the headers that only another dialect reads.
	unread []string
}

// Load gives the dialect of a mode: Neutral (also when mode is empty) or SDK.
func Load(mode string) (*Dialect, error) {
	if mode == "" {
		mode = Neutral
	}
	if mode != Neutral && mode != SDK {
		return nil, fmt.Errorf("dialect: %q is not a dialect; use %s or %s", mode, Neutral, SDK)
	}
	if mode == SDK {
		return sdkWords()
	}
	return neutralWords()
}

// neutralWords and sdkWords are immutable and read once in a process, which may hold
// hundreds of worlds.
var neutralWords, sdkWords = sync.OnceValues(func() (*Dialect, error) { return read(false) }),
	sync.OnceValues(func() (*Dialect, error) { return read(true) })

func read(sdk bool) (*Dialect, error) {
	rows, err := parse(table)
	if err != nil {
		return nil, err
	}
	return build(rows, sdk)
}

func build(rows []row, sdk bool) (*Dialect, error) {
	if n := len(rows) - countUnnamed(rows); n != int(wordCount) {
		return nil, fmt.Errorf("dialect: %d rows for %d words", n, wordCount)
	}
	d := &Dialect{sdk: sdk, members: map[byte]Members{}}
	i := 0
	for _, r := range rows {
		switch {
		case !sdk && r.kind == kindHeader:
			d.unread = append(d.unread, r.brands...)
		case sdk && r.kind == kindMember:
			d.addMember(r)
		}
		if r.name == unnamed {
			continue
		}
		d.neutral[i], d.says[i] = r.neutral, r.neutral
		// Clipped, so that a caller's append cannot reach the shared array.
		d.accepts[i] = slices.Clip([]string{r.neutral})
		if sdk {
			d.says[i] = r.brands[0]
			d.accepts[i] = slices.Clip(append(d.accepts[i], r.brands...))
		}
		i++
	}
	return d, nil
}

func (d *Dialect) addMember(r row) {
	for i := range len(r.letters) {
		m, ok := d.members[r.letters[i]]
		if !ok {
			m = Members{toBrand: map[string]string{}, toNeutral: map[string]string{}}
			d.members[r.letters[i]] = m
		}
		m.toBrand[r.neutral] = r.brands[0]
		for _, b := range r.brands {
			m.toNeutral[b] = r.neutral
		}
	}
}

// UnreadHeader is a header of a request that this dialect does not read and another does,
// a credential before all others; empty when there is none.
func (d *Dialect) UnreadHeader(h Getter) (name string) {
	for _, unread := range d.unread {
		if h.Get(unread) == "" {
			continue
		}
		upper := strings.ToUpper(unread)
		if strings.HasSuffix(upper, "TOKEN") || strings.HasSuffix(upper, "KEY") {
			return unread
		}
		name = cmp.Or(name, unread)
	}
	return name
}

// SDK reports whether brand spellings are accepted and answered.
func (d *Dialect) SDK() bool { return d.sdk }

// Accepts lists the spellings of w that a request may use, the neutral one first. The caller does not write to it.
func (d *Dialect) Accepts(w Word) []string { return d.accepts[w] }

// Says is the spelling of w that answers use.
func (d *Dialect) Says(w Word) string { return d.says[w] }

// NeutralOf is the contract's spelling of w in every mode, for storing and comparing.
func (d *Dialect) NeutralOf(w Word) string { return d.neutral[w] }

// Is reports whether text is an accepted spelling of w.
func (d *Dialect) Is(w Word, text string) bool { return slices.Contains(d.accepts[w], text) }

// AsNeutral finds the word among words that text spells and gives its neutral spelling; text itself and false when
// none does. It turns what a request wrote, such as a scope name, into what is stored.
func (d *Dialect) AsNeutral(text string, words ...Word) (string, bool) {
	for _, w := range words {
		if d.Is(w, text) {
			return d.neutral[w], true
		}
	}
	return text, false
}

// Getter is what header and query values have in common.
type Getter interface{ Get(name string) string }

// Get reads the first value that h holds under an accepted spelling of w, the spelling answered tried first.
func (d *Dialect) Get(h Getter, w Word) string {
	if v := h.Get(d.says[w]); v != "" {
		return v
	}
	if !d.sdk {
		return ""
	}
	for _, name := range d.accepts[w] {
		if v := h.Get(name); v != "" {
			return v
		}
	}
	return ""
}

// CutPrefix removes the longest accepted spelling of the prefix w from text.
func (d *Dialect) CutPrefix(w Word, text string) (rest string, found bool) {
	longest := -1
	for _, p := range d.accepts[w] {
		if len(p) > longest && strings.HasPrefix(text, p) {
			longest = len(p)
		}
	}
	if longest < 0 {
		return text, false
	}
	return text[longest:], true
}

// Members gives the renames of JSON members for the service with a letter. In the neutral mode there are none.
func (d *Dialect) Members(letter string) Members {
	if len(letter) != 1 {
		return Members{}
	}
	return d.members[letter[0]]
}

// Members renames JSON members of one service between the two spellings. The zero value renames nothing.
type Members struct{ toBrand, toNeutral map[string]string }

// Neutral is the map from the brand's names to neutral ones, a copy.
func (m Members) Neutral() map[string]string { return maps.Clone(m.toNeutral) }
