package worldfiles

import (
	"fmt"
	"regexp"
	"strings"
)

const (
	// maxLevels and maxName bound a path: removing a folder holds a descriptor for each level, and one of thousands
	// could be neither copied nor removed.
	maxLevels, maxName = 64, 1024
	// maxRead bounds a file that is read whole.
	maxRead = 1 << 20
)

// readWhole are the files that are read into memory whole, some with every answer about a world.
var readWhole = regexp.MustCompile(`^(?:root\.key|root\.check|demo\.env|node\.id|blobs/due/.+|blobs/uploads/.+\.json|` +
	`metrics/(?:.+/)?(?:meta\.json|lock)|.+\.git/(?:HEAD|shallow|refs/.+|objects/info/packs))$`)

// Excess says what is too much in a file or folder of an archive, empty when nothing is.
func Excess(name string, size int64) string {
	switch {
	case len(name) > maxName || strings.Count(name, "/") > maxLevels:
		return fmt.Sprintf("the path %.60q… is too long or too deep", name)
	case size > maxRead && readWhole.MatchString(name):
		return fmt.Sprintf("%q has %d bytes; at most %d belong there", name, size, maxRead)
	}
	return ""
}
