package pipelines

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"regexp"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/service/pipelines/recipe"
)

// orbReference is namespace/name@version. A version that is not whole means the newest that begins with it, volatile
// the newest of all.
var orbReference = regexp.MustCompile(
	`^([a-z0-9][a-z0-9_-]{0,99})/([a-z0-9][a-z0-9_-]{0,99})@(volatile|[0-9]{1,9}(?:\.[0-9]{1,9}){0,2}|dev:[a-zA-Z0-9_.-]{1,100})$`)

// maxOrb is the largest orb that is read.
const maxOrb = 256 << 10

// findOrb reads an orb of the configured folder: DIR/namespace/name@version.yml.
func (s *Service) findOrb(reference string) (text []byte, name string, err error) {
	m := orbReference.FindStringSubmatch(reference)
	if m == nil {
		return nil, "", recipe.ErrNoOrb
	}
	root, err := os.OpenRoot(s.config.Orbs)
	if err != nil {
		return nil, "", err
	}
	defer root.Close()
	entries, err := fs.ReadDir(root.FS(), m[1])
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", recipe.ErrNoOrb
	}
	if err != nil {
		return nil, "", err
	}
	best := ""
	for _, e := range entries {
		base, ok := strings.CutSuffix(e.Name(), ".yml")
		version, named := strings.CutPrefix(base, m[2]+"@")
		if ok && named && admitsVersion(m[3], version) && (best == "" || newer(version, best)) {
			best = version
		}
	}
	if best == "" {
		return nil, "", recipe.ErrNoOrb
	}
	name = m[1] + "/" + m[2] + "@" + best
	text, err = readFile(root, name+".yml")
	return text, name, err
}

func readFile(root *os.Root, name string) ([]byte, error) {
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	// One byte more than is read tells that the file is too large.
	return io.ReadAll(io.LimitReader(f, maxOrb+1))
}

// admitsVersion reports whether a version of the folder is one that a reference means.
func admitsVersion(wanted, version string) bool {
	if strings.HasPrefix(version, "dev:") || strings.HasPrefix(wanted, "dev:") {
		return wanted == version
	}
	return wanted == "volatile" || wanted == version || strings.HasPrefix(version, wanted+".")
}

// newer compares versions number by number.
func newer(a, b string) bool {
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(x), len(y)) {
		m, err1 := strconv.Atoi(x[i])
		n, err2 := strconv.Atoi(y[i])
		if err1 != nil || err2 != nil {
			return a > b
		}
		if m != n {
			return m > n
		}
	}
	return len(x) > len(y)
}
