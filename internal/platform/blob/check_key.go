package blob

import (
	"fmt"
	"strings"
)

// Bounds of a key. A segment plus the mark of an object must fit a file name everywhere.
const (
	maxKey     = 512
	maxSegment = 200
)

// CheckKey admits what means the same in a file system, in a bucket and in a log line: segments of letters, digits
// and "._-=@+", split by single slashes, none starting with a dot. Names that users choose are hashed or escaped
// by the service before they become keys.
func CheckKey(key string) error {
	if key == "" || len(key) > maxKey {
		return fmt.Errorf("%w: %d bytes, want 1 to %d", ErrKey, len(key), maxKey)
	}
	for segment := range strings.SplitSeq(key, "/") {
		if err := checkSegment(segment); err != nil {
			return fmt.Errorf("%w %q", err, key)
		}
	}
	return nil
}

func checkSegment(segment string) error {
	if segment == "" || len(segment) > maxSegment {
		return fmt.Errorf("%w: an empty or long segment in", ErrKey)
	}
	if segment[0] == '.' {
		return fmt.Errorf("%w: a segment starts with a dot in", ErrKey)
	}
	for i := range len(segment) {
		if !keyByte(segment[i]) {
			return fmt.Errorf("%w: byte %q in", ErrKey, segment[i])
		}
	}
	return nil
}

func keyByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("._-=@+", c) >= 0
}
